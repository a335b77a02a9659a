"""Writes the JSON Schema of ordinance files anew, after the reader's keys have changed."""

from __future__ import annotations

from geocheck.rules.schema import FILE, as_shipped, ordinance_schema

if __name__ == "__main__":
    FILE.write_text(as_shipped(ordinance_schema()), encoding="utf-8", newline="\n")
