"""geocheck report: other forms of the last result, each as a reader of that form finds it."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import zipfile

import geopandas
import openpyxl
import pytest
from shapely.geometry import box

VILLAGE = "us/wi/washington-county-village/87-5"
HOSTILE = "S-1 <b>&\"=1+1' 🌊 مرحبا"

pypdf = pytest.importorskip("pypdf")
docx = pytest.importorskip("docx")


@pytest.fixture
def ran(geocheck_command, layers, tmp_path):
    """A run of two sites, one with a hostile name, in ``tmp_path / "out"``."""
    x, y = 362000, 184000
    frame = geopandas.GeoDataFrame(
        {"ID": [HOSTILE, "S-2"]},
        geometry=[box(x + 10, y + 10, x + 110, y + 110), box(x + 220, y + 10, x + 240, y + 30)],
        crs=8104,
    )
    frame.to_file(layers / "sites.gpkg")
    ended = geocheck_command(
        "run", "--parcels", layers / "parcels.shp", "--parcel-id", "PIN", "--disturbance", layers / "sites.gpkg", "--site-id", "ID",
        "--municipality", layers / "sites.gpkg", "--jurisdiction", "Village of Elm", "--wetland", layers / "wetlands.shp", "--ordinance", VILLAGE, "-o", tmp_path / "out", "-q",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    return tmp_path / "out"


def text_of(document):
    words = [p.text for p in document.paragraphs]
    for table in document.tables:
        words += [cell.text for row in table.rows for cell in row.cells]
    return "\n".join(words)


def words_of(path):
    """The words of a PDF; of two bytes to a letter the first is nothing."""
    return "".join(page.extract_text() for page in pypdf.PdfReader(path).pages).replace("\x00", "")


def test_the_page_again_is_the_page(geocheck_command, ran):
    before = (ran / "report.html").read_text(encoding="utf-8")
    ended = geocheck_command("report", "-o", ran)
    assert ended.code == 0, ended.err
    assert (ran / "report.html").read_text(encoding="utf-8") == before


def test_a_page_about_one_site(geocheck_command, ran, tmp_path):
    ended = geocheck_command("report", "-o", ran, "--site", "S-2", "--to", tmp_path / "one.html")
    assert ended.code == 0, ended.err
    text = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert text.count('<article class="site"') == 1
    assert "Site <bdi>S-2</bdi>" in text and 'id="list"' not in text


def test_a_site_that_is_named_like_a_file_of_the_run_does_not_replace_it(geocheck_command, layers, tmp_path):
    geopandas.GeoDataFrame({"ID": ["report"]}, geometry=[box(362010, 184010, 362110, 184110)], crs=8104).to_file(
        layers / "sites.shp"
    )
    words = (
        "--disturbance",
        layers / "sites.shp",
        "--site-id",
        "ID",
        "--ordinance",
        VILLAGE,
        "-o",
        tmp_path / "out",
        "-q",
    )
    assert geocheck_command("run", *words).code == 0
    before = (tmp_path / "out" / "report.html").read_bytes()
    ended = geocheck_command("report", "-o", tmp_path / "out", "--site", "report")
    assert ended.code == 3 and "--overwrite" in ended.err
    assert (tmp_path / "out" / "report.html").read_bytes() == before


@pytest.mark.slow
def test_pdfs_of_all_and_of_one(geocheck_command, ran):
    try:
        import weasyprint  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"needs WeasyPrint and Pango: {error}")
    assert geocheck_command("report", "-o", ran, "--format", "pdf").code == 0
    text = words_of(ran / "report.pdf")
    assert "Summary" in text and "S-2" in text and "Receipt" in text
    assert geocheck_command("report", "-o", ran, "--format", "pdf", "--site", HOSTILE).code == 0
    (one,) = ran.glob("S-1*.pdf")
    text = words_of(one)
    assert "S-1 <b>&\"=1+1'" in text and "every clause" in text and "Site S-2" not in text


def test_a_memo_holds_what_a_determination_holds(geocheck_command, ran):
    fields = ("--field", "applicant=O'Brien <& Sons>", "--field", "file_number=26-014")
    ended = geocheck_command("report", "-o", ran, "--format", "docx", "--site", HOSTILE, *fields)
    assert ended.code == 0, ended.err
    (path,) = ran.glob("S-1*.docx")
    document = docx.Document(path)
    text = text_of(document)
    for words in (
        HOSTILE, "Village of Elm", "O'Brien <& Sons>", "26-014", "wetland: partly", "disturbed area", "against at least 4,000 sq ft", "At least 4,000 square feet",
        "No layer was given for: shoreland", "More information is needed under § 87-5", "not a legal opinion", "____", "wetlands.shp",
    ):  # fmt: skip
        assert words in text, words
    (facts,) = [table for table in document.tables if table.cell(0, 0).text == "Fact"]
    names = [row.cells[0].text for row in facts.rows]
    assert "disturbed area" in names and "disturbed area of plan" not in names  # it has no plan: the same number again
    heads = [p.text for p in document.paragraphs if p.style.name.startswith("Heading")]
    wanted = [
        "Facts",
        "Analysis by clause",
        "Conclusion",
        "Conditions that remain",
        "What was not checked",
        "Accuracy",
        "Appeal",
        "Signature",
    ]
    assert [head for head in heads if head in wanted] == wanted
    assert len(document.inline_shapes) == 1
    assert "{" not in text


def test_the_office_s_own_template_is_used(geocheck_command, ran, tmp_path):
    assert geocheck_command("report", "--write-template", tmp_path / "memo.docx").code == 0
    document = docx.Document(tmp_path / "memo.docx")
    document.paragraphs[0].text = "Village of Somewhere, {{ site }}"
    document.save(tmp_path / "ours.docx")
    words = ("report", "-o", ran, "--format", "docx", "--site", "S-2", "--to", tmp_path / "memo-2.docx")
    assert geocheck_command(*words, "--template", tmp_path / "ours.docx").code == 0
    assert docx.Document(tmp_path / "memo-2.docx").paragraphs[0].text == "Village of Somewhere, S-2"
    document.paragraphs[0].text = "{{ nothing_of_that_name }}"
    document.save(tmp_path / "wrong.docx")
    ended = geocheck_command(*words, "--overwrite", "--template", tmp_path / "wrong.docx")
    assert ended.code == 3 and "nothing_of_that_name" in ended.err and "--write-template" in ended.err


def test_a_workbook_of_one_site(geocheck_command, ran):
    assert geocheck_command("report", "-o", ran, "--format", "xlsx", "--site", "S-2").code == 0
    book = openpyxl.load_workbook(ran / "S-2.xlsx")
    assert {row[0].value for row in book["determinations"].iter_rows(min_row=2)} == {"S-2"}
    assert {row[1].value for row in book["facts"].iter_rows(min_row=2)} == {"S-2"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--site", "S-3", "--to", "x.html"), 3, "did you mean S-2"),
        (("--format", "docx"), 2, "name it with --site"),
        (("--field", "applicant=A"), 2, "add --format docx"),
        (("--format", "docx", "--site", "S-2", "--field", "aplicant=A"), 2, "applicant"),
        (("--format", "xlsx", "--to", "{out}/run.json"), 3, "--overwrite"),
    ],
    ids=["no such site", "which site", "field of a page", "field unknown", "file there"],
)
def test_what_cannot_be_is_said(geocheck_command, ran, words, code, said):
    ended = geocheck_command("report", "-o", ran, *(word.format(out=ran) for word in words))
    assert ended.code == code and said in ended.err


@pytest.mark.parametrize(
    ("module", "form", "said"),
    [
        ("weasyprint", "pdf", "geocheck[report]"),
        ("docxtpl", "docx", "geocheck[report]"),
        ("xlsxwriter", "xlsx", "geocheck[report]"),
    ],
)
def test_a_missing_extra_is_named(geocheck_command, ran, monkeypatch, module, form, said):
    monkeypatch.setitem(sys.modules, module, None)
    ended = geocheck_command("report", "-o", ran, "--format", form, "--site", "S-2")
    assert ended.code == 3 and said in ended.err
    assert not (ran / f"S-2.{form}").exists()


def test_without_a_result_it_says_what_to_do(geocheck_command, tmp_path):
    ended = geocheck_command("report", "-o", tmp_path)
    assert ended.code == 3 and "geocheck run" in ended.err


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
@pytest.mark.parametrize("form", ["docx", "xlsx"])
def test_libreoffice_opens_it_whole(geocheck_command, ran, tmp_path, form):
    assert geocheck_command("report", "-o", ran, "--format", form, "--site", HOSTILE).code == 0
    (path,) = ran.glob(f"S-1*.{form}")
    home = f"-env:UserInstallation={(tmp_path / 'office').as_uri()}"
    command = ["soffice", home, "--headless", "--convert-to", "pdf", "--outdir", str(tmp_path), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    text = words_of(tmp_path / f"{path.stem}.pdf")
    assert "S-1 <b>&\"=1+1'" in text
    assert zipfile.ZipFile(io.BytesIO(path.read_bytes())).testzip() is None
