"""The notebooks run from top to bottom, and are kept without outputs."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_outputs_are_stripped(path):
    for cell in nbformat.read(path, 4).cells:
        assert cell.cell_type != "code" or (not cell.outputs and cell.execution_count is None)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, 4)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()


def test_there_is_a_first_notebook():
    assert [path.stem for path in NOTEBOOKS][:1] == ["01-first-determination"]
