"""What only the office knows of a determination memo: names of fields, and what stands in the memo's margin for each."""

from __future__ import annotations

__all__ = ["FIELDS"]

FIELDS = {
    "file_number": "File number", "determined_by": "Determined by", "applicant": "Applicant", "owner": "Owner", "agent": "Agent",
    "address": "Address", "plss": "Section, township, range", "project": "Project", "appeal": "Appeal", "attachments": "Attachments",
}  # fmt: skip
