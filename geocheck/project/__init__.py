"""The project file: which ordinances judge which layers, and how."""

from __future__ import annotations

from pathlib import Path

from geocheck.model.ground import LayerSource
from geocheck.model.problem import ProjectError
from geocheck.project.project import Project
from geocheck.project.reading import read_layer_options, read_project

__all__ = ["PROJECT_FILE", "Project", "layer_source", "open_project"]

PROJECT_FILE = "geocheck.yaml"


def open_project(path: str | Path = PROJECT_FILE) -> Project:
    """Read a project file, or the ``geocheck.yaml`` of a folder.

    Raises
    ------
    ProjectError
        With every problem of the file: what, line and column, why, and what to do.
    """
    path = Path(path)
    if path.is_dir():
        path = path / PROJECT_FILE
    if not path.exists():
        raise ProjectError(
            f"{path}: there is no such project file; `geocheck init DIR` writes one for a folder of layers, and "
            "`geocheck run --help` shows how to run without one"
        )
    return read_project(path)


def layer_source(role: str, folder: Path, **options: str | None) -> LayerSource:
    """Make the source of one layer from texts such as command-line options, checked like a project file's."""
    return read_layer_options(role, folder, {key: value for key, value in options.items() if value})
