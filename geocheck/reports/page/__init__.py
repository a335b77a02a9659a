"""The report as a page: its words, bars, maps and template."""
