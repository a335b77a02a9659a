"""One role read from several files: their records one after another, their losses added up."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from geocheck.model.ground import Layer, LayerSource

__all__ = ["expanded", "joined"]


def expanded(sources: Mapping[str, LayerSource]) -> dict[str, LayerSource]:
    """Return the sources with each that has parts replaced by its parts, under ``<role> 1``, ``<role> 2``, …"""
    found: dict[str, LayerSource] = {}
    for role, source in sources.items():
        if source.parts:
            found.update({f"{role} {number}": part for number, part in enumerate(source.parts, 1)})
        else:
            found[role] = source
    return found


def joined(layers: Mapping[str, Layer], sources: Mapping[str, LayerSource]) -> dict[str, Layer]:
    """Return the layers with the parts of a role put together again.

    Parameters
    ----------
    layers : mapping of str to Layer
        As read from `expanded` sources, all in one system.
    sources : mapping of str to LayerSource
        The sources before they were expanded.

    Returns
    -------
    dict of str to Layer
        By role. Records count on through the parts; the accuracy is the worst that a part states, and a part that
        states none is named in a note.
    """
    found: dict[str, Layer] = {}
    for role, source in sources.items():
        if source.parts:
            found[role] = _one(role, source, [layers[f"{role} {number}"] for number in range(1, len(source.parts) + 1)])
        elif role in layers:
            found[role] = layers[role]
    return {**{role: layer for role, layer in layers.items() if " " not in role}, **found}


def _one(role: str, source: LayerSource, parts: Sequence[Layer]) -> Layer:
    frames, doubts, start = [], {}, 0
    for part in parts:
        frames.append(part.frame.assign(record=part.frame["record"] + start))
        doubts.update({row + start: area for row, area in part.doubts.items()})
        start += len(part.frame)
    stated = [part.source.accuracy for part in parts if part.source.accuracy is not None]
    worst = max(stated, key=lambda accuracy: accuracy.to("ft").value) if stated else None
    silent = [part.source.source for part in parts if part.source.accuracy is None]
    notes = [note for part in parts for note in part.notes]
    if stated and silent:
        notes.append(
            f"no accuracy is stated for {', '.join(silent)}; that of the other files, {worst}, is taken for all"
        )
    wordless = [part.source.source for part in parts if role == "impervious" and not part.source.status]
    if wordless and len(wordless) < len(parts):
        notes.append(f"no status is named for {', '.join(wordless)}; its surfaces are taken to exist already: is that right?")  # fmt: skip
    coverages = [part.coverage for part in parts if part.coverage is not None]
    first = parts[0]
    accuracies = [part.datum_accuracy_m for part in parts if part.datum_operation]
    return replace(
        first,
        role=role,
        source=replace(
            source,
            source="; ".join(part.source.source for part in parts),
            accuracy=worst,
            date="; ".join(dict.fromkeys(part.source.date for part in parts if part.source.date)),
        ),
        frame=pd.concat(frames, ignore_index=True),
        name="; ".join(dict.fromkeys(part.name for part in parts)),
        crs_from="; ".join(dict.fromkeys(part.crs_from for part in parts)),
        # The ground that every part covers is what the layer covers; a part that states none is taken to cover all.
        coverage=_common(coverages) if coverages else None,
        coverage_note="; ".join(dict.fromkeys(part.coverage_note for part in parts if part.coverage_note)),
        datum_operation="; ".join(dict.fromkeys(part.datum_operation for part in parts if part.datum_operation)),
        datum_accuracy_m=None if None in accuracies or not accuracies else max(a for a in accuracies if a is not None),
        shift_doubt=max(part.shift_doubt for part in parts),
        sha256=hashlib.sha256("".join(part.sha256 for part in parts).encode()).hexdigest(),
        doubts=doubts,
        repairs=tuple(repair for part in parts for repair in part.repairs),
        notes=tuple(notes),
        **{
            count: sum(getattr(part, count) for part in parts)
            for count in ("records", "used", "repaired", "without_geometry", "lost")
        },
    )


def _common(areas: Sequence[object]) -> object:
    import shapely

    return shapely.intersection_all(areas)
