"""The shared facts: names, kinds, units and the questions they answer. Ordinances add their own under ``facts:``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

__all__ = ["EXTENTS", "VOCABULARY", "FactDeclaration", "declaration_of"]

#: Suffixes for the same fact over more ground, and how a reader says them.
EXTENTS = {"_of_plan": "over the common plan of development", "_of_all_phases": "over all phases"}


@dataclass(frozen=True, slots=True)
class FactDeclaration:
    """What a fact means before anybody knows its value.

    Parameters
    ----------
    name : str
        As conditions write it.
    kind : str
        measured, stated or decided.
    unit : str
        Unit of a quantity; empty for a yes-or-no fact.
    asks : str
        The question that the fact answers.
    signed : bool
        Whether a quantity may be below zero; what cannot be is never assumed to be.
    since : str
        The day (ISO) from which on it accumulates; empty where it does not.
    counts : str
        The measured fact that it accumulates, over all sites of the plan disturbed from that day on; empty where no
        ground tells it.
    """

    name: str
    kind: str
    unit: str
    asks: str
    signed: bool = False
    since: str = ""
    counts: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the declaration as plain values."""
        return asdict(self)


# name | unit | question; those marked + are also declared over the plan and over all phases, those
# marked ± may also be below zero.
_MEASURED = """
parcel_area                          | ft2  | What is the area of the parcels that the disturbance meets?
disturbed_area                      +| ft2  | How much land surface is disturbed?
disturbed_area_in_shoreland         +| ft2  | How much disturbed ground lies in the shoreland?
disturbed_area_in_wetland           +| ft2  | How much disturbed ground lies in wetland?
disturbed_area_in_floodplain        +| ft2  | How much disturbed ground lies in the floodplain?
disturbed_area_in_zones             +| ft2  | How much disturbed ground lies in shoreland, wetland or floodplain?
disturbed_area_outside_zones        +| ft2  | How much disturbed ground lies outside shoreland, wetland and floodplain?
impervious_area_existing            +| ft2  | How much ground is impervious before the project?
impervious_area_proposed            +| ft2  | How much impervious surface is proposed?
impervious_area_added               ±| ft2  | By how much does impervious ground grow: after the project less before it?
impervious_area                     +| ft2  | How much ground is impervious after the project?
connected_impervious_area           +| ft2  | How much impervious ground, after the project, drains to a sewer or water without crossing pervious ground?
impervious_area_in_protective_area  +| ft2  | How much impervious ground lies within the protective areas of waters?
disturbed_channel_length            +| ft   | How many feet of ditch, waterway or channel are disturbed, along the channel?
new_road_length                     +| ft   | How many feet of new road are built?
excavated_volume                    +| yd3  | How much material is excavated?
filled_volume                       +| yd3  | How much material is filled?
small_parcels_created               +| each | How many parcels of five acres or less are created from one parcel?
share_in_jurisdiction               +| %    | What share of the disturbed ground lies in the jurisdiction?
"""
_STATED = """
grows_crops                     | Is the activity directly related to planting, growing or harvesting crops?
by_state_agency                 | Is the activity conducted by, or contracted for, a state agency?
one_or_two_family_building      | Is the activity the construction of a one- or two-family residential building?
builds_road                     | Does the project build a new public or private road?
designed_by_land_conservation   | Is the project designed or certified by the county Land Conservation Department as soil conservation or pollution control?
village_or_county_work          | Is the work done by the village or the county?
agricultural_facility           | Is the site an agricultural facility or practice?
underground_utility             | Is the work construction of an underground utility?
above_ground_utility_structure  | Does the work include above-ground structures of a utility?
mmsd_chapter_13_applies         | Do the applicability requirements of MMSD Chapter 13 reach the site?
mmsd_chapter_13_quantity_exempt | Does MMSD Chapter 13 exempt the site from its discharge quantity requirements?
"""
_DECIDED = """
authority_finds_erosion_risk  | Has the administering authority found a high risk of erosion or pollution, or an effect on a sensitive area?
authority_finds_runoff_risk   | Has the administering authority found that runoff, flooding, erosion or pollution may grow, or a sensitive area suffer?
inspector_or_board_requests   | Has the building inspector or the village board asked for compliance?
working_agreement_in_effect   | Is an approved working agreement with the ordinance administrator in effect?
board_finds_runoff_danger     | Has the village board found by majority vote that runoff is likely to endanger drainage, channels, waters or property?
special_exception_granted     | Has a special exception been granted under the zoning code?
"""


def _read() -> Iterator[FactDeclaration]:
    for line in filter(None, _MEASURED.splitlines()):
        name, unit, asks = (part.strip() for part in line.split("|"))
        plain, signed = name.rstrip("+± "), name.endswith("±")
        yield FactDeclaration(plain, "measured", unit, asks, signed)
        if name.endswith(("+", "±")):
            for suffix, words in EXTENTS.items():
                yield FactDeclaration(plain + suffix, "measured", unit, f"{asks[:-1]}, {words}?", signed)
    for kind, block in (("stated", _STATED), ("decided", _DECIDED)):
        for line in filter(None, block.splitlines()):
            name, asks = (part.strip() for part in line.split("|"))
            yield FactDeclaration(name, kind, "", asks)


VOCABULARY: dict[str, FactDeclaration] = {declaration.name: declaration for declaration in _read()}


def declaration_of(name: str) -> FactDeclaration | None:
    """Return the shared declaration of a fact, or None where the vocabulary has no such name."""
    return VOCABULARY.get(name)
