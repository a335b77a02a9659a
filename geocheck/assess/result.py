"""What a run gives to Python: tables, geometry, explanations, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from html import escape
from pathlib import Path
from typing import Any

import geocheck.assess.accessor  # noqa: F401  # results are GeoDataFrames; they measure themselves
from geocheck.model.determination import Determination
from geocheck.model.findings import Findings

__all__ = ["Explanation", "Result"]


class Explanation(str):
    """A determination in words, which shows itself in a notebook line by line."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre-wrap">{escape(self)}</pre>'


class Result:
    """The result of one run.

    Parameters
    ----------
    findings : Findings
        Everything the run found.
    """

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    @property
    def sites(self) -> Any:
        """Sites with their outcomes, a GeoDataFrame in the run's system; None in a run about parcels alone."""
        return self.findings.sites

    @property
    def parcels(self) -> Any:
        """The parcels table with geometry, a GeoDataFrame; None without a parcels layer."""
        return self.findings.parcels

    @property
    def facts(self) -> Any:
        """All facts, one row a subject and fact, as in ``facts.csv``."""
        from geocheck.reports import tables

        return tables.facts(self.findings)

    @property
    def determinations(self) -> Any:
        """One row a site, ordinance and obligation, as in ``determinations.csv``."""
        from geocheck.reports import tables

        return tables.determinations(self.findings)

    @property
    def questions(self) -> Any:
        """Missing facts that matter, as in ``questions.csv``."""
        from geocheck.reports import tables

        return tables.questions(self.findings)

    def of(self, site_id: str) -> list[Determination]:
        """Return the determinations of one site, one an ordinance.

        Raises
        ------
        KeyError
            If the run has no such site.
        """
        found = [d for d in self.findings.determinations if d.site_id == site_id]
        if not found:
            known = dict.fromkeys(d.site_id for d in self.findings.determinations)
            near = get_close_matches(site_id, known, n=1)
            raise KeyError(f"no site is called {site_id!r}{f'; did you mean {near[0]!r}?' if near else ''}")
        return found

    def explain(self, site_id: str) -> Explanation:
        """Tell the determinations of one site in words.

        Raises
        ------
        KeyError
            If the run has no such site.
        """
        from geocheck.rules.explaining import explain

        told = [explain(d, self.findings.ordinances[d.ordinance]) for d in self.of(site_id)]
        return Explanation("\n\n".join(told))

    def map(self) -> Any:
        """Return an interactive map of the run; needs the extra ``notebook``."""
        from geocheck.assess.displays import map_of

        return map_of(self.findings)

    def write(
        self,
        folder: str | Path,
        names: Sequence[str] | None = None,
        *,
        overwrite: bool = False,
        progress: Callable[..., None] | None = None,
    ) -> list[Path]:
        """Write the files of a run; older ones are replaced only when all new ones are whole.

        Parameters
        ----------
        folder : str or Path
            Where to.
        names : sequence of str, optional
            Which files, such as ``["facts.csv", "report.html"]``; all by default.
        overwrite : bool
            Replace files that are there.
        """
        from geocheck.reports import write

        return write(self.findings, Path(folder), names, overwrite=overwrite, progress=progress)

    def outcomes(self) -> Counter[str]:
        """Count the outcomes over all sites, ordinances and obligations."""
        return Counter(o.outcome for d in self.findings.determinations for o in d.obligations)

    def __repr__(self) -> str:
        parts = [f"{self.findings.name}, as of {self.findings.as_of}"]
        if self.findings.sites is not None:
            parts.append(f"{len(self.findings.sites)} sites")
        if self.findings.parcels is not None:
            parts.append(f"{len(self.findings.parcels)} parcel records")
        parts += [f"{count} {outcome}" for outcome, count in sorted(self.outcomes().items())]
        return f"<Result: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        rows = self.determinations
        if not len(rows):
            return f"<p>{escape(repr(self))}</p>"
        table = rows.pivot_table(
            index="site_id", columns=["ordinance", "obligation"], values="outcome", aggfunc="first", sort=False
        )
        return f"<p>{escape(repr(self))}</p>{table.head(50).to_html(escape=True)}"
