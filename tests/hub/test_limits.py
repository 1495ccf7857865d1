"""What a data set's card warns of."""

from dataclasses import replace

import pytest

from tests.hub import small_board as small
from truerate.hub.card import limits

TRACK = replace(small.TRACK, judged_caveats=("The verifier errs.",))


@pytest.mark.parametrize(("by_people", "warned"), [(True, False), (False, True)])
def test_caveats_of_judges_stand_only_where_models_judged(by_people, warned):
    words = limits(small.facts(track=TRACK, is_judged_by_people=by_people), [], [])
    assert ("The verifier errs." in words) is warned
    assert "The boards rank recognition." in words  # holds whoever judged
