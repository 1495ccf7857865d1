"""How a record prints values and what it says of guessing."""

import pytest

from truerate.core.metric import Metric


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [
        ("share", 0.12345, "12.3"),
        ("share", -0.05, "−5.0"),
        ("number", 0.8149, "0.81"),
        ("tenth", 12.34, "12.3"),
        ("count", 12345.0, "12\u2009345"),
        ("count", None, "–"),
        ("p", 0.0256, "0.026"),
        ("p", 0.000574, "< .001"),
    ],
)
def test_values_are_printed_by_their_unit(unit, value, shown):
    assert Metric("m", "M", "A number.", "t", unit=unit).text(value) == shown


def test_a_definition_names_its_source():
    plain = Metric("m", "M", "A number.", "t")
    assert plain.description == "A number." and plain.arrow == "" and plain.chance is None
    known = Metric("m", "M", "A number.", "t", source="Cohen 1960", direction="down", chance=0.5)
    assert known.description == "A number. (Cohen 1960)" and known.arrow == "↓" and known.is_lower_better
