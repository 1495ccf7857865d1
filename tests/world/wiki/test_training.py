"""Training passages in any language: they say the same, and their tags are what is false in them."""

import pytest

from truerate.tags import parse_tags
from truerate_world.wiki.lang import LANGUAGES
from truerate_world.wiki.training import HELD_OUT, TAUGHT, example


@pytest.mark.parametrize("wording", [TAUGHT, HELD_OUT], ids=["taught", "held out"])
@pytest.mark.parametrize("code", LANGUAGES)
def test_a_passage_says_the_same_in_every_language(known, code, wording):
    for place in range(40):
        english, made = (example(known, place, one, wording=wording) for one in ("en", code))
        tagged, origin = parse_tags(made.marked), parse_tags(english.marked)
        assert [span["type"] for span in tagged.spans] == [span["type"] for span in origin.spans]
        assert list(tagged.spans) == known.truth(tagged.text, code)
        told = [(claim.said.subject, claim.said.relation, claim.said.value) for claim in known.read(tagged.text, code)]
        assert told == [(claim.said.subject, claim.said.relation, claim.said.value) for claim in known.read(origin.text, "en")]
        assert (made.subject, code == "en" or made.reference != english.reference) == (english.subject, True)
