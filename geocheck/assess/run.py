"""One run: read, bring together, measure, judge, gather."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from geocheck.assess.accumulating import accumulated_column, accumulating, days_of
from geocheck.assess.adopted import adopted_words
from geocheck.assess.columns import together
from geocheck.assess.dividing import Division, divided, division_of
from geocheck.assess.measuring import ask, base_of, column_of, measured_names, sources_of
from geocheck.assess.parcels import parcels_table
from geocheck.assess.result import Result
from geocheck.assess.sites import Extents, extents_of, sites_of, subjects_of
from geocheck.assess.sites_table import sites_table
from geocheck.assess.stating import declarations_of, read_statements, refuse_two_versions, stated_columns
from geocheck.engines import AUTO, choose
from geocheck.ledger import open_ledger
from geocheck.measures import MEASURES
from geocheck.measures.language import Engine, Measure
from geocheck.model.acts import Act, in_force, waivers_of
from geocheck.model.determination import Determination, Question, Receipt
from geocheck.model.facts import FactColumn, FactSheet, FactTable
from geocheck.model.findings import Findings
from geocheck.model.ground import RASTER_ROLES, Ground, Layer, Site, Subjects
from geocheck.model.problem import ProjectError
from geocheck.model.vocabulary import VOCABULARY, FactDeclaration
from geocheck.project import Project, open_project
from geocheck.rules.asking import questions
from geocheck.rules.judge import judge_site
from geocheck.rules.read import load_ordinance

__all__ = ["Pipeline", "run"]

_DIVIDED = "small_parcels_created"
#: Called with a stage and how far it is: ``progress("judging", 120, 8381)``; total 0 is not known.
Progress = Callable[[str, int, int], None]


def run(project: Project | str | Path, *, progress: Progress | None = None, engine: str = AUTO) -> Result:
    """Measure and judge a project.

    Parameters
    ----------
    project : Project, str or Path
        From `geocheck.open_project`, or the path of a project file or its folder.
    progress : callable, optional
        Called with stage, done and total.
    engine : str
        How ground is measured: a name on the shelf of engines, or ``auto``; see `engines.choose`.

    Returns
    -------
    Result
        Facts, determinations, tables; writes itself.

    Raises
    ------
    GeocheckError
        If layers, rules or the project are wrong; nothing is written.
    """
    if not isinstance(project, Project):
        project = open_project(project)
    return Pipeline(project, progress or (lambda stage, done, total: None), engine).result()


class Pipeline:
    """The state of one run while it goes; an unattended run looks in between."""

    #: Roles whose records keep all fields of their files.
    keep_fields: frozenset[str] = frozenset()

    def __init__(self, project: Project, progress: Progress, engine: Engine | str) -> None:
        self.project, self.progress, self._asked = project, progress, engine
        # A name that nobody has is said before anything is read.
        self.engine = choose(engine, 0) if isinstance(engine, str) else engine
        self.as_of = project.as_of or date.today()
        self.seconds: dict[str, float] = {}
        self.notes: list[str] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage of the run."""
        self.progress(name, 0, 0)
        begin = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - begin, 3)

    def result(self) -> Result:
        """Read, measure, judge and gather."""
        with self.stage("reading rules"):
            folder = self.project.ordinance_folder
            loaded = [load_ordinance(name, as_of=self.as_of, folder=folder) for name in self.project.ordinances]
            refuse_two_versions(loaded)
            self.ordinances = {ordinance.id: ordinance for ordinance in loaded}
            self.declarations = declarations_of(loaded)
            self._check_settings(loaded)
        with self.stage("reading layers"):
            ground = self._ground()
        if isinstance(self._asked, str):
            frames = [ground.layers[role].frame for role in ("disturbance", "parcels") if role in ground.layers]
            self.engine = choose(self._asked, max(map(len, frames), default=0))
        self.ground_is_read(ground)
        sites: list[Site] = []
        acts: list[Act] = []
        tables: list[FactTable] = []
        if "disturbance" in ground.layers:
            sites = sites_of(ground.layers["disturbance"])
            if not self.ordinances:
                self.notes.append(
                    "no ordinance is named, so nothing was judged; name one under ordinances in the project file or with "
                    "--ordinance (`geocheck rules list` shows what there is)"
                )
            acts = self._acts()
            with self.stage("measuring sites"):
                tables = self._tables(sites, ground, acts)
        facts = FactSheet(tables, self.as_of)
        parcels = None
        if "parcels" in ground.layers:
            with self.stage("measuring parcels"):
                parcels, ground, notes = parcels_table(ground, self.engine)
                self.notes += notes + self._inherited(ground, parcels)
        receipt = self._receipt(ground, acts)
        with self.stage("judging"):
            determinations = tuple(self._judged(facts, acts, receipt))
            asked = tuple(self._questions(determinations, facts))
        findings = Findings(
            name=self.project.name,
            as_of=self.as_of,
            facts=facts,
            determinations=determinations,
            questions=asked,
            ordinances=self.ordinances,
            layers=ground.layers,
            ground=ground,
            sites=sites_table(sites, ground, facts, determinations)
            if sites or "disturbance" in ground.layers
            else None,
            parcels=parcels,
            receipt=receipt,
            settings=dict(self.project.settings),
            notes=tuple(self.notes),
            seconds=self.seconds,
            adopted=adopted_words(loaded, (self.project.folder, self.project.ordinance_folder)),
            jurisdiction=self.project.jurisdiction,
        )
        return Result(findings)

    def layers_are_read(self, layers: Mapping[str, Layer]) -> None:
        """Look at the layers as delivered, each in its own system; nothing to see in an ordinary run."""

    def ground_is_read(self, ground: Ground) -> None:
        """Look at the layers brought together, before anything is measured; nothing to see in an ordinary run."""

    def _check_settings(self, ordinances: Sequence[Any]) -> None:
        known = {setting.name: setting.names for ordinance in ordinances for setting in ordinance.settings}
        for name, choice in self.project.settings.items():
            if choice not in known.get(name, ()):
                choices = "; ".join(f"{key}: {' or '.join(values)}" for key, values in known.items())
                raise ProjectError(
                    f"settings: {name}: {choice} is no choice of the project's ordinances (choices: {choices or 'none'})"
                )

    # Ground -----------------------------------------------------------------------------------------------------------

    def _ground(self) -> Ground:
        from geocheck.sources.derived import derive_layers
        from geocheck.sources.fetching import fetch_layers
        from geocheck.sources.joined import expanded, joined
        from geocheck.sources.raster import read_rasters
        from geocheck.sources.read import read_layers
        from geocheck.sources.records import mark_parcels
        from geocheck.sources.reference import bring_together, questions_in

        project = self.project
        sources = fetch_layers(project.layers, project.folder, self.progress)
        vectors = {role: source for role, source in sources.items() if role not in RASTER_ROLES}

        def done(role: str, layer: Any) -> None:
            self.progress("reading layers", len(self.seconds), len(vectors))

        layers = read_layers(
            expanded(vectors), jurisdiction=project.jurisdiction, keep_fields=self.keep_fields, progress=done
        )
        for role in ("parcels", "parcels_before"):
            if role in layers:
                layers[role] = mark_parcels(layers[role])
        self.layers_are_read(layers)
        ground = bring_together(
            layers, basis=project.area_basis, measure_crs=project.measure_crs, foot=project.foot,
            elevation=project.elevation, strict_datum=project.strict_datum,
        )  # fmt: skip
        rasters = read_rasters(sources)
        ground = replace(ground, layers={**joined(ground.layers, vectors), **rasters})
        self.notes += questions_in(ground)
        asked = {base_of(name)[0] for ordinance in self.ordinances.values() for name in ordinance.facts_used}
        asked |= {d.counts for ordinance in self.ordinances.values() for d in ordinance.facts.values()}
        roles = {role for name in asked & set(MEASURES.names()) for role in MEASURES.load(name).layers}
        return derive_layers(ground, sources, protective_area="protective_area" in roles)

    def _inherited(self, ground: Ground, parcels: Any) -> list[str]:
        from geocheck.sources.records import compare_inherited

        # An attribute of one record says nothing of a parcel that several records make up.
        merged = parcels["status"].str.contains("merged of", regex=False).to_numpy(dtype=bool)
        square_feet = np.where(merged, np.nan, parcels["area_ft2"].to_numpy())
        return list(compare_inherited(ground.layers["parcels"], square_feet, square_feet * float(ground.foot) ** 2))

    # Facts ------------------------------------------------------------------------------------------------------------

    def _acts(self) -> list[Act]:
        if not self.project.ledger:
            return []
        acts = open_ledger(self.project.ledger).acts()
        self.notes += [
            f"{act}: on file for site {act.site_id}, not yet in force on {self.as_of}"
            for act in acts
            if date.fromisoformat(act.on) > self.as_of
        ]
        return in_force(acts, self.as_of)

    def _tables(self, sites: list[Site], ground: Ground, acts: Sequence[Act]) -> list[FactTable]:
        needed = list(dict.fromkeys(name for ordinance in self.ordinances.values() for name in ordinance.facts_used))
        counted = accumulating(d for ordinance in self.ordinances.values() for d in ordinance.facts.values())
        extents = extents_of(sites, days_of(counted), self.as_of)
        subjects = subjects_of(sites, extents, ground, self.project.impervious_within)
        measured = self._measured(needed, counted, extents, subjects, ground)
        layer = ground.layers["disturbance"]
        statements = read_statements(self.project.statements, sites, self.declarations)
        bases = list(dict.fromkeys([*map(_own_name, needed), *needed, *layer.source.facts]))
        stated = stated_columns(bases, sites, self.declarations, layer=layer, statements=statements, acts=acts)
        own, contradictions = together(measured["site"], stated, extents, [site.id for site in sites])
        self.notes += contradictions
        tables = [FactTable("site", [site.id for site in sites], own)]
        if extents.plans:
            tables.append(FactTable("plan", extents.plans, measured["plan"]))
        return tables

    def _measured(
        self, needed: Sequence[str], counted: Mapping[str, FactDeclaration], extents: Extents, subjects: Subjects,
        ground: Ground,
    ) -> dict[str, dict[str, FactColumn]]:  # fmt: skip
        names = [name for name in measured_names(needed) if base_of(name)[0] in MEASURES.names()]
        bases = [*(base_of(name)[0] for name in names), *(declared.counts for declared in counted.values())]
        asked = ask(list(dict.fromkeys(bases)), subjects, ground, self.engine)
        division = self.division(ground) if _DIVIDED in asked and "parcels_before" not in ground.layers else None
        if division is not None:
            asked[_DIVIDED] = divided(
                asked[_DIVIDED].measure, division, subjects, ground, self.as_of, self.ordinances.values()
            )
        rows = {"": extents.own, "_of_plan": extents.plan, "_of_all_phases": extents.all_phases}
        plan_rows = {"_of_plan": extents.plan_row, "_of_all_phases": extents.plan_phases_row}
        columns: dict[str, dict[str, FactColumn]] = {"site": {}, "plan": {}}
        sources = {
            b: f"{self.engine.name}: {sources_of(found.measure, ground, subjects.grounds)}"
            for b, found in asked.items()
        }
        if division is not None:
            sources[_DIVIDED] = "ledger"
        for name, declared in counted.items():
            since, base = extents.since[date.fromisoformat(declared.since)], declared.counts
            dated = bool(ground.layers["disturbance"].source.day)
            columns["site"][name] = accumulated_column(declared, asked[base], since, sources[base], dated=dated)
        for name in names:
            base, extent = base_of(name)
            source = sources[base]
            columns["site"][name] = column_of(asked[base], name, rows[extent], source)
            if extent:
                columns["plan"][name] = column_of(asked[base], name, plan_rows[extent], source)
        return columns

    def division(self, ground: Ground) -> Division | None:
        """Return what the ledger knows of land division; None where it knows nothing."""
        return division_of(open_ledger(self.project.ledger), ground, self.as_of) if self.project.ledger else None

    # Judgement --------------------------------------------------------------------------------------------------------

    def _judged(self, facts: FactSheet, acts: Sequence[Act], receipt: Receipt) -> Iterator[Determination]:
        table = facts.table("site")
        settings = {name: self._settings(ordinance) for name, ordinance in self.ordinances.items()}
        for row, site in enumerate(table.ids):
            if row % 100 == 0:
                self.progress("judging", row, len(table))
            for ordinance in self.ordinances.values():
                yield judge_site(
                    ordinance,
                    table.facts_at(row, ordinance.facts_used),
                    waivers=waivers_of(acts, site, ordinance.id),
                    settings=settings[ordinance.id],
                    site_id=site,
                    receipt=receipt,
                )

    def _settings(self, ordinance: Any) -> dict[str, str]:
        own = {setting.name for setting in ordinance.settings}
        return {name: choice for name, choice in self.project.settings.items() if name in own}

    def _questions(self, determinations: Sequence[Determination], facts: FactSheet) -> Iterator[Question]:
        merged: dict[tuple[str, str], Question] = {}
        unsure = {measure.name: measure for measure in MEASURES if measure.uncertain is not None}
        # Sites that are alike share their outcomes, and so what they leave open.
        alike: dict[int, tuple[Question, ...]] = {}
        for determination in determinations:
            ordinance = self.ordinances[determination.ordinance]
            found = alike.get(id(determination.obligations))
            if found is None:
                unsorted_ground = _of_unsorted_ground(determination, ordinance, unsure)
                known = facts.of("site", determination.site_id)
                asked = questions(determination, ordinance, known, self._settings(ordinance))
                found = alike[id(determination.obligations)] = (*asked, *unsorted_ground)
            for question in found:
                site = determination.site_id
                key = (site, question.fact)
                before = merged.get(key)
                decides = (*before.decides, *question.decides) if before else question.decides
                merged[key] = Question(site, question.fact, question.kind, question.asks, decides)
        yield from merged.values()

    def _receipt(self, ground: Ground, acts: Sequence[Act]) -> Receipt:
        from geocheck import __version__

        parts = {
            "geocheck": __version__,
            "engine": self.engine.name,
            "area_basis": ground.basis,
            "crs": ground.crs.to_string(),
            "foot": str(ground.foot),
            "impervious_within": self.project.impervious_within,
            "as_of": self.as_of.isoformat(),
            **{f"ordinance {name}": ordinance.fingerprint for name, ordinance in self.ordinances.items()},
            **{f"layer {role}": layer.sha256 for role, layer in ground.layers.items()},
            **{f"setting {name}": choice for name, choice in self.project.settings.items()},
            **{f"act {act.number}": str(act) for act in acts},
        }
        for path in self.project.statements:
            parts[f"statements {path.name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        return Receipt(parts)


def _of_unsorted_ground(
    determination: Determination, ordinance: Any, unsure: Mapping[str, Measure]
) -> Iterator[Question]:
    """Ask about ground that may belong to a number or not, where that keeps the number astride its threshold."""
    open_by: dict[str, list[str]] = {}
    for outcome in determination.obligations:
        for gap in outcome.gaps:
            astride = outcome.outcome == "undetermined" and gap.reason == "within tolerance"
            if astride and base_of(gap.fact)[0] in unsure:
                open_by.setdefault(gap.fact, []).append(f"{ordinance.id}: {outcome.obligation}")
    for fact, decides in open_by.items():
        asks = unsure[base_of(fact)[0]].asks.rstrip("?")
        yield Question(
            determination.site_id,
            fact,
            "measured",
            f"{asks}, of the surfaces for which the layer does not say it?",
            tuple(dict.fromkeys(decides)),
        )


def _own_name(name: str) -> str:
    base, extent = base_of(name)
    return base if extent and name in VOCABULARY else name
