"""A setting that does not exist, has no choices, or leaves a clause without a form under one of them."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check
from geocheck.rules.units import nearest_name


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    names = [setting.name for setting in ordinance.settings]
    for setting in ordinance.settings:
        if len(setting.choices) < 2:
            message = f"the setting {setting.name} has {len(setting.choices)} choices; a question has two or more"
            yield Problem("unknown-setting", message, setting.place, "Add them under choices: .")
    for clause in ordinance.every_clause:
        said = {name: clause.place_of("under") for name, _, _ in clause.under}
        if clause.reading is not None and clause.reading.setting:
            said.setdefault(clause.reading.setting, clause.reading.place)
        for name, place in said.items():
            setting_of = ordinance.setting(name)
            if setting_of is None:
                message = f"{clause.label} stands under the setting {name!r}, and there is none"
                yield Problem(
                    "unknown-setting", message, place, nearest_name(name, names) or "Add it under settings: ."
                )
                continue
            forms = {choice: form for setting_name, choice, form in clause.under if setting_name == name}
            for choice, form in forms.items():
                if choice not in setting_of.choices:
                    message = f"{choice!r} is no choice of the setting {name}"
                    remedy = nearest_name(choice, setting_of.names) or f"Choices: {', '.join(setting_of.names)}."
                    yield Problem("unknown-setting", message, form.place_of("choice"), remedy)
            missing = [choice for choice in setting_of.choices if forms and choice not in forms]
            if missing:
                message = f"{clause.label} does not say how it stands under {', '.join(missing)}"
                yield Problem("unknown-setting", message, place, "Add it; {} where it stands as written.")


CHECK = Check(
    "unknown-setting",
    "A clause stands under a setting or choice that does not exist, or says nothing of one of its choices.",
    _look,
)
