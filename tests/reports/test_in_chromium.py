"""The report in a real browser, the network cut: nothing asked for, nothing complained of, the same with few sites and many."""

from __future__ import annotations

import re
import shutil
import time

import pytest

from geocheck import reports
from geocheck.reports import html_report

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]
NAMES = (
    "O'Brien `& Sons <script>alert(1)</script>", "=1+1", '=HYPERLINK("http://example.org")', "مرحبا بالعالم", "שלום 12-34 (א)", "👩‍👩‍👧 🌊",
    "<img src=x onerror=alert(2)>", "</script><svg onload=alert(3)>", "{{ 7*7 }} ${7*7} %s", "x" * 300, "a & b &amp; c", "]]> --> ",
)  # fmt: skip


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def pages(build_findings, tmp_path_factory):
    """The same sites in a report that holds all details, and in one that makes them when asked for."""
    folder, made = tmp_path_factory.mktemp("browser"), {}
    found = build_findings(24, names=NAMES)
    with pytest.MonkeyPatch.context() as patch:
        for kind, eager in (("whole", 1000), ("lazy", 5)):
            patch.setattr(html_report, "EAGER", eager)
            reports.write(found, folder / kind, ["report.html"])
            made[kind] = folder / kind / "report.html"
    return made


@pytest.fixture
def opened(chromium, request):
    """Open a page and keep what it asks for and complains of; both must stay empty."""
    contexts, heard = [], []

    def open_page(path, place="", width=1280, height=900, **settings):
        context = chromium.new_context(viewport={"width": width, "height": height}, offline=True, **settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("dialog", lambda dialog: heard.append(dialog.message) or dialog.dismiss())
        page.on("request", lambda asked: None if asked.url.startswith("file:") else heard.append(asked.url))
        page.goto(f"{path.as_uri()}{place}")
        page.wait_for_function("!document.querySelector('.filter').hidden")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []


STRUCTURE = """element => {
  const told = node => {
    if (node.nodeType === 3) return node.textContent.replace(/\\s+/g, ' ');
    const looks = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin'];
    const named = [...node.attributes].map(a => [a.name, a.value]).filter(a => !looks.includes(a[0])).sort();
    const parts = [];
    if (node.tagName === 'svg' && node.classList.contains('map')) return [node.tagName, named, [...node.querySelectorAll('path')].map(p => p.getAttribute('class'))];
    for (const child of node.childNodes) {
      const part = told(child);
      if (typeof part === 'string' && typeof parts[parts.length - 1] === 'string') parts[parts.length - 1] += part;
      else if (typeof part !== 'string' || part) parts.push(part);
    }
    return [node.tagName, named, parts.map(p => typeof p === 'string' ? p.trim() : p).filter(p => p !== '')];
  };
  for (const more of element.querySelectorAll('details')) more.remove();
  return told(element);
}"""


def test_a_site_made_by_the_script_is_the_one_that_the_template_makes(opened, pages):
    whole, lazy = opened(pages["whole"]), opened(pages["lazy"])
    for place in range(9):
        show(lazy, place)
        assert lazy.eval_on_selector(f"#site-{place}", STRUCTURE) == whole.eval_on_selector(f"#site-{place}", STRUCTURE)


def show(page, place):
    page.evaluate(f"location.hash = '#site-{place}'")
    page.wait_for_selector(f"#site-{place}")


BOUNDS = "paths => paths.map(path => { const b = path.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height]; })"


def test_a_map_drawn_by_the_script_shows_what_the_other_shows(opened, pages):
    whole, lazy = opened(pages["whole"]), opened(pages["lazy"])
    labels = "nodes => nodes.map(node => node.textContent)"
    for place in range(9):
        show(lazy, place)
        selector = f"#site-{place} svg.map"
        for kind in ("site", "scale path", "of-site"):
            here, there = (page.eval_on_selector_all(f"{selector} .{kind}", BOUNDS) for page in (whole, lazy))
            assert len(here) == len(there)
            for one, other in zip(here, there, strict=True):
                assert one == pytest.approx(other, abs=3)
        here, there = (page.eval_on_selector_all(f"{selector} text", labels) for page in (whole, lazy))
        assert here == there


@pytest.mark.parametrize("kind", ["whole", "lazy"])
def test_hostile_names_come_through_literally(opened, pages, kind):
    page = opened(pages[kind])
    links = page.eval_on_selector_all("#list tbody th a", "links => links.map(link => link.textContent)")
    assert links[: len(NAMES)] == list(NAMES)
    for place, name in enumerate(NAMES):
        show(page, place)
        assert page.text_content(f"#site-{place} h3") == f"Site {name}"
    assert page.eval_on_selector_all("img, [onerror], [onload]", "found => found.length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["whole", "lazy"])
def test_axe_finds_no_serious_fault(opened, pages, kind, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    page = opened(pages[kind], "#site-2", color_scheme=scheme, bypass_csp=True)
    page.wait_for_selector("#site-2")
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
    response = axe.run(page).response
    assert {"color-contrast", "label", "link-name", "aria-allowed-attr"} <= {rule["id"] for rule in response["passes"]}
    found = response["violations"]
    serious = [
        (v["id"], [n["html"][:160] for n in v["nodes"][:3]]) for v in found if v["impact"] in ("serious", "critical")
    ]
    assert serious == []


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("kind", ["whole", "lazy"])
def test_nothing_is_wider_than_the_screen(opened, pages, kind, width):
    page = opened(pages[kind], "#site-9", width=width, height=800)
    page.wait_for_selector("#site-9")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Numbers and their bars are read without scrolling aside.
    asides = page.eval_on_selector_all(
        ".scroll:has(.numbers)", "all => all.map(one => one.scrollWidth - one.clientWidth)"
    )
    assert asides and max(asides) == 0


def test_the_list_is_worked_by_keyboard(opened, pages):
    page = opened(pages["whole"])
    page.focus("#list thead th:nth-child(3) .sort")
    page.keyboard.press("Enter")
    assert page.get_attribute("#list thead th:nth-child(3)", "aria-sort") == "ascending"
    areas = page.eval_on_selector_all("#list tbody td.n", "cells => cells.map(cell => Number(cell.dataset.v))")
    assert areas == sorted(areas)
    page.fill("#find", "S-0002")
    assert page.text_content("#count") == "4 of 24 sites"
    page.fill("#find", "")
    page.select_option("#outcome", "waived")
    assert re.fullmatch(r"\d+ of 24 sites", page.text_content("#count"))


def test_five_thousand_sites_open_in_three_seconds(chromium, build_findings, tmp_path):
    reports.write(build_findings(5000), tmp_path, ["report.html"])
    taken = []
    for _ in range(3):
        context = chromium.new_context(offline=True)
        page = context.new_page()
        begin = time.monotonic()
        page.goto((tmp_path / "report.html").as_uri())
        page.wait_for_function("!document.querySelector('.filter').hidden")
        taken.append(time.monotonic() - begin)
        context.close()
    assert min(taken) < 3
