"""The memo's own template, as a Word document that an office may take, change and hand back with --template."""

from __future__ import annotations

import io
from typing import Any

from geocheck.model.memo_fields import FIELDS

__all__ = ["default_template"]


def default_template() -> bytes:
    """Return the template: a Word document whose marks in braces are filled for each site."""
    from docx import Document
    from docx.shared import Pt

    document = Document()
    style = document.styles["Normal"]
    style.font.name, style.font.size = "Calibri", Pt(10.5)
    for section in document.sections:
        section.footer.paragraphs[
            0
        ].text = "{{ name }} · site {{ site }} · receipt {{ receipt }} · not a survey, not a legal opinion"
    document.add_heading("Determination memo", 0)
    _heading(document)
    document.add_heading("Facts", 1)
    _table(
        document, ("Fact", "Value", "Interval (95 %)", "How known", "Source"), "f in facts",
        ("{{ f.name }}", "{{ f.value }}", "{{ f.between }}", "{{ f.status }}", "{{ f.source }}{% if f.note %} ({{ f.note }}){% endif %}"),
    )  # fmt: skip
    _lines(document, "{%p if map %}", "{{ map }}", "{%p endif %}")
    _table(
        document, ("Layer", "Source", "Date", "Accuracy", "Coverage"), "l in layers",
        ("{{ l.role }}", "{{ l.source }}", "{{ l.date }}", "{{ l.accuracy }}", "{{ l.coverage }}"),
    )  # fmt: skip
    document.add_heading("Analysis by clause", 1)
    _lines(document, "{%p for j in judged %}")
    document.add_heading("{{ j.cite }} {{ j.title }}", 2)
    _table(
        document, ("Clause", "What it says", "Applies", "Value and threshold"), "c in j.clauses",
        (
            "{{ c.label }}", "{{ c.says }}{% if c.words %} Adopted words: “{{ c.words }}”{% endif %}", "{{ c.truth }}",
            "{% for n in c.numbers %}{{ n }}. {% endfor %}{% if not c.numbers %}{{ c.seen }}{% endif %}{% if c.note %} ({{ c.note }}){% endif %}",
        ),
    )  # fmt: skip
    _lines(document, "Clauses that do not apply and compare no number are left out; trace.csv has every clause.")
    _list(document, "w in j.waivers", "Waiver of {{ w }}")
    _lines(document, "{%p endfor %}")
    document.add_heading("Conclusion", 1)
    _list(document, "text in conclusion", "{{ text }}", style="Normal")
    _lines(document, "{%p for j in judged %}")
    _table(
        document,
        ("{{ j.cite }}: outcome", "Obligations", "Why"),
        "o in j.outcomes",
        ("{{ o.outcome }}", "{{ o.obligations }}", "{{ o.why }}"),
    )
    _lines(document, "{%p endfor %}")
    document.add_heading("Conditions that remain", 1)
    _lines(document, "{%p for j in judged %}")
    _list(document, "text in j.instead", "Instead, where an exemption holds: {{ text }}")
    _list(document, "text in j.reserved", "Reserved, {{ j.cite }}: an official may still invoke {{ text }}")
    _lines(document, "{%p endfor %}")
    _lines(
        document,
        "Law that is not judged here may bind all the same: county shoreland and floodplain zoning, state permits for construction sites, "
        "protective areas of other chapters, building codes.",
    )
    document.add_heading("What was not checked", 1)
    _list(document, "role in absent", "No layer was given for: {{ role }}")
    _list(document, "text in unknown", "{{ text }}")
    _list(document, "asks in questions", "Not answered: {{ asks }}")
    _lines(
        document,
        "{%p if not absent and not unknown and not questions %}",
        "Every fact that the ordinances ask for was known.",
        "{%p endif %}",
    )
    document.add_heading("Accuracy", 1)
    _lines(
        document,
        "Areas are {{ basis.said }}. Feet: {{ basis.foot }}. Intervals are at 95 %, from the stated accuracy of the layers; where none is stated, only the "
        "other doubts count. A number whose interval reaches over its threshold leaves the clause undetermined. This memo is not a survey and not a legal opinion.",
    )
    _list(document, "note in notes", "{{ note }}")
    document.add_heading("Appeal", 1)
    _lines(document, "{{ office.appeal }}")
    document.add_heading("Signature", 1)
    _lines(
        document,
        "",
        "______________________________     Date: ______________",
        "{{ office.determined_by }}",
        "Attachments: {{ office.attachments }}",
    )
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def _heading(document: Any) -> None:
    head = document.add_table(rows=0, cols=2)
    rows = [
        ("Date", "{{ as_of }}"),
        ("Jurisdiction", "{{ jurisdiction }}"),
        (
            "Ordinances",
            "{% for o in ordinances %}{{ o.cite }} {{ o.title }}{% if not loop.last %}; {% endif %}{% endfor %}",
        ),
    ]
    rows += [
        (label, f"{{{{ office.{name} }}}}") for name, label in FIELDS.items() if name not in ("appeal", "attachments")
    ]
    rows += [
        ("Site", "{{ site }}"),
        ("Parcels", "{% for p in parcels %}{{ p.id }}{% if p.zones %} ({{ p.zones }}){% endif %}{% if not loop.last %}, {% endif %}{% endfor %}{% if not parcels %}none known{% endif %}"),
        ("Common plan and phase", "{{ plan or 'none' }}{% if phase %}, phase {{ phase }}{% endif %}"),
    ]  # fmt: skip
    for label, value in rows:
        cells = head.add_row().cells
        cells[0].text, cells[1].text = label, value
        cells[0].paragraphs[0].runs[0].bold = True
    _widths(head, (1.7, 4.8))


def _table(document: Any, heads: tuple[str, ...], each: str, cells: tuple[str, ...]) -> None:
    """A table whose second row is repeated for each of something; its head comes again on every page."""
    from docx.oxml import OxmlElement

    table = document.add_table(rows=4, cols=len(heads), style="Light Grid Accent 1")
    for cell, text in zip(table.rows[0].cells, heads, strict=True):
        cell.text = text
    mark = OxmlElement("w:tblHeader")
    table.rows[0]._tr.get_or_add_trPr().append(mark)
    for row in table.rows:
        row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
    table.rows[1].cells[0].text = f"{{%tr for {each} %}}"
    for cell, text in zip(table.rows[2].cells, cells, strict=True):
        cell.text = text
    table.rows[3].cells[0].text = "{%tr endfor %}"
    widths = {3: (1.2, 2.3, 3.0), 4: (0.8, 2.4, 0.8, 2.5), 5: (1.5, 1.0, 1.5, 0.9, 1.6)}
    _widths(table, widths[len(heads)])
    document.add_paragraph()


def _widths(table: Any, inches: tuple[float, ...]) -> None:
    from docx.shared import Inches

    table.autofit = False
    for place, width in enumerate(inches):
        table.columns[place].width = Inches(width)
        for cell in table.columns[place].cells:
            cell.width = Inches(width)


def _list(document: Any, each: str, text: str, style: str = "List Bullet") -> None:
    _lines(document, f"{{%p for {each} %}}")
    document.add_paragraph(text, style=style)
    _lines(document, "{%p endfor %}")


def _lines(document: Any, *texts: str) -> None:
    for text in texts:
        document.add_paragraph(text)
