"""report.html: one offline file for planners and applicants, which prints well; data never becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.reports.output import Output

if TYPE_CHECKING:
    from jinja2 import Environment, Template

    from geocheck.reports.page.site_content import Sites
    from geocheck.reports.tables import Tables

#: With more sites than this, a site's map and clauses are packed into the page and opened when asked for.
EAGER = 200

#: Sites packed together.
CHUNK = 40


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write the page."""
    with (folder / name).open("w", encoding="utf-8", errors="xmlcharrefreplace", newline="\n") as file:
        file.writelines(page(tables))


def page(tables: Tables, *, only: str | None = None, printed: bool = False) -> Iterator[str]:
    """Yield the page piece by piece.

    Parameters
    ----------
    tables : Tables
        The run's tables.
    only : str, optional
        A site: the page is about it alone.
    printed : bool
        For paper: no script, maps that need no stylesheet, and of one site every clause; of many sites only the list.

    Raises
    ------
    OutputError
        If the run has no such site.
    """
    from markupsafe import Markup  # page-making libraries are loaded when something is written, not for --help

    import geocheck
    from geocheck.reports.page.content import overview
    from geocheck.reports.page.overview_map import MARK_LOOKS, MARKS, overview_map
    from geocheck.reports.page.shared_ground import shared_ground
    from geocheck.reports.page.site_content import Sites
    from geocheck.reports.page.site_map import LINES, PATTERNS, look_of
    from geocheck.reports.page.words import OUTCOME_WORDS

    environment = _environment()
    sites = Sites(tables)
    many = len(sites.ids) > EAGER and only is None
    lazy = many and not printed
    about = overview(tables, only)
    places = range(len(sites.ids)) if only is None else [sites.place_of(only)]
    # Our own script and style, the only texts besides drawn maps that are let through as markup.
    script = Markup(_text("report.js"))
    yield from environment.get_template("report.html.j2").generate(
        o=about,
        only=only,
        printed=printed,
        version=geocheck.__version__,
        style=Markup(_text("report.css") + (_text("print.css") if printed else "")),
        script="" if printed else script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        patterns=PATTERNS,
        site_count=len(sites.ids),
        heads=sites.heads(),
        rows=islice(sites.rows(), EAGER if lazy else None),
        overview=overview_map(sites.maps, sites.worst(), OUTCOME_WORDS, alone=printed)
        if sites.maps is not None and only is None
        else ("", []),
        marks=MARKS,
        mark_looks={outcome: Markup(look) for outcome, look in MARK_LOOKS.items()},
        look_of=lambda role: Markup(look_of(role, alone=printed)),
        lines=LINES,
        packed_rows=_packed({"words": _codes(), "shared": sites.shared(), "rows": [_row(row) for row in sites.rows()]})
        if lazy
        else "",
        packed_ground=_packed(shared_ground(sites.maps)) if lazy and sites.maps is not None else "",
        lazy=lazy,
        eager=EAGER,
        details=()
        if many
        else _details(
            sites,
            environment.get_template("site.html.j2"),
            places,
            printed=printed,
            opened=printed and only is not None,
        ),
        chunks=_chunks(sites) if lazy else (),
    )


def _details(sites: Sites, one: Template, places: Iterable[int], *, printed: bool, opened: bool) -> Iterator[Any]:
    from markupsafe import Markup

    from geocheck.reports.page.bar import bar_drawn
    from geocheck.reports.page.site_map import look_of, map_drawn

    drawing = {
        "bar_drawn": bar_drawn,
        "map_drawn": partial(map_drawn, alone=printed),
        "look_of": lambda role: Markup(look_of(role, alone=printed)),
    }
    shared = sites.shared()
    for place in places:
        yield Markup(one.render(s=sites.detail(place, whole=True), opened=opened, **shared, **drawing))


def _chunks(sites: Sites) -> Iterator[str]:
    """Sites as data for the page's script, packed: base64 holds no character that markup knows."""
    count = -(-len(sites.ids) // CHUNK)
    size = -(-len(sites.ids) // count)
    for first in range(0, len(sites.ids), size):
        # All facts and every clause of many sites stay in facts.csv and trace.csv.
        yield _packed([sites.detail(place, whole=False) for place in range(first, min(first + size, len(sites.ids)))])


def _packed(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 1)).decode()


def _codes() -> dict[str, tuple[str, str, str]]:
    from geocheck.reports.page.words import OUTCOME_WORDS

    return {outcome[0]: (outcome, *words) for outcome, words in OUTCOME_WORDS.items()}


def _row(row: dict[str, Any]) -> list[Any]:
    """A row of the list of sites, packed: outcomes by their first letter, ``b`` after it where borderline."""
    codes = [outcome[:1] + ("b" if borderline else "") for outcome, _, _, borderline in row["outcomes"]]
    return [row["id"], row["plan"], row["area"], row["said"], codes]


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("geocheck.reports", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _text(name: str) -> str:
    return resources.files("geocheck.reports.page").joinpath(name).read_text(encoding="utf-8")


OUTPUT = Output(
    says="the report: one offline page with maps, verdicts, numbers and clauses, ready to print",
    names=("report.html",),
    write=write,
    default=("report.html",),
)
