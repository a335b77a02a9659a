"""Plugins for desktop GIS, kept as files: they call the installed command and import nothing of it."""
