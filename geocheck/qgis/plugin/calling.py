"""How the plugin calls geocheck: in the environment where it is installed, not in that of QGIS."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

from qgis.core import QgsProcessingException, QgsSettings

__all__ = ["call", "command"]

#: What QGIS sets for its own Python and libraries, and what would mislead another.
_OF_QGIS = (
    "PYTHONHOME",
    "PYTHONPATH",
    "GDAL_DATA",
    "GDAL_DRIVER_PATH",
    "PROJ_LIB",
    "PROJ_DATA",
    "PROJ_NETWORK",
    "LD_LIBRARY_PATH",
)


def command() -> list[str]:
    """Return the words that start geocheck.

    In this order: the environment variable GEOCHECK_COMMAND, the setting geocheck/command of QGIS, the installation that this
    plugin was made by, ``geocheck`` on the path.
    """
    told = os.environ.get("GEOCHECK_COMMAND") or QgsSettings().value("geocheck/command", "")
    if told:
        return [told] if Path(told).exists() else shlex.split(told)
    made_by = Path(__file__).with_name("command.json")
    if made_by.exists():
        words: list[str] = json.loads(made_by.read_text(encoding="utf-8"))
        if Path(words[0]).exists():
            return words
    found = shutil.which("geocheck")
    if found:
        return [found]
    raise QgsProcessingException(
        "geocheck is not where this plugin was made; make the plugin anew with `geocheck plugin qgis`, or set the environment variable GEOCHECK_COMMAND"
    )


def call(words: list[str], feedback: Any) -> str:
    """Run geocheck, telling what it says as it goes, and return what it printed.

    Raises
    ------
    QgsProcessingException
        If it ends with an error: its own words.
    """
    whole = [*command(), *words]
    feedback.pushCommandInfo(" ".join(shlex.quote(word) for word in ["geocheck", *words]))
    environment = {key: value for key, value in os.environ.items() if key not in _OF_QGIS}
    environment |= {"GEOCHECK_PROGRESS": "lines", "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1", "NO_COLOR": "1"}
    hidden: dict[str, Any] = {"creationflags": 0x08000000} if os.name == "nt" else {}  # no window of its own on Windows
    process = subprocess.Popen(
        whole, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment, text=True, encoding="utf-8",
        errors="replace", **hidden,
    )  # fmt: skip
    lines: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        if feedback.isCanceled():
            process.terminate()
            break
        stage, sign, progress = line.rstrip().partition("\t")
        done, _, total = progress.partition("/")
        if sign and done.isdigit() and total.isdigit():
            feedback.setProgressText(stage)
            feedback.setProgress(100 * int(done) / int(total) if int(total) else 0)
            continue
        lines.append(line)
        feedback.pushInfo(line.rstrip())
    if process.wait() not in (0,) and not feedback.isCanceled():
        raise QgsProcessingException("".join(lines).strip() or f"geocheck ended with {process.returncode}")
    return "".join(lines)
