"""Training passages in any language: they say the same, and their tags are what is false in them."""

import pytest

from truerate.core.spans.tags import parse_tags
from truerate_world.mfava.lang import LANGUAGES
from truerate_world.mfava.training import HELD_OUT, TRAINING, example


@pytest.mark.parametrize("wording", [TRAINING, HELD_OUT], ids=["taught", "held out"])
@pytest.mark.parametrize("code", LANGUAGES)
def test_a_passage_says_the_same_in_every_language(known, code, wording):
    for place in range(40):
        english, made = (example(known, place, one, wording=wording) for one in ("en", code))
        tagged, origin = parse_tags(made.marked), parse_tags(english.marked)
        assert [span["type"] for span in tagged.spans] == [span["type"] for span in origin.spans]
        assert list(tagged.spans) == known.truth(tagged.text, code)
        told = [
            (claim.statement.subject, claim.statement.relation, claim.statement.value)
            for claim in known.read(tagged.text, code)
        ]
        assert told == [
            (claim.statement.subject, claim.statement.relation, claim.statement.value)
            for claim in known.read(origin.text, "en")
        ]
        assert (made.subject, code == "en" or made.reference != english.reference) == (english.subject, True)


def test_no_sentence_is_worded_in_both_sets(known):
    """Were true sentences known and false ones new, a network that has learned its training texts by heart
    would tell them apart.
    """
    shown = []
    for wording in (TRAINING, HELD_OUT):
        made = [example(known, place, wording=wording) for place in range(120)]
        claims = [
            claim
            for one in made
            for text in (one.reference, parse_tags(one.marked).text)
            for claim in known.read(text, "en")
        ]
        shown.append(
            {
                claim.statement.name._replace(is_wrong=False)
                for claim in claims
                if claim.statement.name.kind != "lead"
            }
        )
    taught, held_out = shown
    assert {name.kind for name in taught} == {name.kind for name in held_out} >= {"told", "said"}
    assert not taught & held_out
