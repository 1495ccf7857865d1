"""What people wrote into a card on the Hub outlives releases; what they changed of ours is refused, never
lost.
"""

from dataclasses import replace

import pytest

from truerate.hub.kept import BEGIN, END, Kept, digest_of, kept_of, with_kept
from truerate.hub.release import README

from .drafts import LATER, REPO, A, B, content, put, refused

CARD = "---\nlicense: mit\nlanguage:\n- en\n---\n# A board\n\nText.\n"
THEIRS = Kept({"extra_gated_prompt": "Say why you want it.", "viewer": False}, "A note of ours.\n\n| a | b |")


def test_keys_and_section_go_in_and_come_out():
    card = with_kept(CARD, THEIRS)
    assert kept_of(card) == THEIRS
    assert card.startswith(
        "---\nlicense: mit\nlanguage:\n- en\nextra_gated_prompt: Say why you want it.\nviewer: false\n---\n"
    )
    assert with_kept(CARD, kept_of(card)) == card
    assert kept_of(with_kept(CARD, Kept())) == Kept()


@pytest.mark.parametrize(
    "card",
    ["", "no head", "---\n- a list\n---\ntext", "---\nkey: [open\n---\ntext", f"{BEGIN} never ended", END],
)
def test_odd_cards_are_read_without_a_fault(card):
    kept = kept_of(card)
    assert kept.fields == {} and kept_of(with_kept(CARD, kept)).fields == {}


def test_the_digest_is_that_of_our_part_alone():
    ours = digest_of(with_kept(CARD, Kept()))
    assert digest_of(with_kept(CARD, THEIRS)) == ours
    assert digest_of(with_kept(CARD, Kept()).replace("Text.", "Text.   ")) == ours  # an editor's blanks
    assert digest_of(with_kept(CARD, Kept()).replace("Text.", "Other text.")) != ours
    assert digest_of(with_kept(CARD, Kept()).replace("mit", "cc-by-4.0")) != ours


def edited(hub, change) -> str:
    """The card on the Hub as somebody's browser left it."""
    card = change(content(hub)[README].decode())
    hub.put_repo(REPO, files=content(hub) | {README: card.encode()})
    return card


def test_a_release_keeps_a_gating_prompt_and_a_note(hub_here):
    put()
    edited(
        hub_here,
        lambda card: card.replace("license: mit", "viewer: false\nlicense: mit").replace(
            BEGIN, f"{BEGIN}\nWrite to us first."
        ),
    )
    put(B, today=LATER)
    card = content(hub_here)[README].decode()
    assert kept_of(card) == Kept({"viewer": False}, "Write to us first.") and LATER in card
    commits = len(hub_here.commits(REPO))
    put(B)
    assert len(hub_here.commits(REPO)) == commits  # nothing changed: nothing is committed


def test_an_edit_of_our_part_is_refused_and_stays(hub_here):
    put()
    card = edited(hub_here, lambda card: card.replace("# small-board", "# The best board"))
    line = refused("README.md was edited by hand", B)
    assert REPO in line and BEGIN in line and "--replace-card" in line
    assert content(hub_here)[README].decode() == card
    put(B, replace_card=True)
    assert "# small-board" in content(hub_here)[README].decode()


def test_a_card_that_was_taken_away_comes_back(hub_here):
    put()
    hub_here.put_repo(REPO, files={path: data for path, data in content(hub_here).items() if path != README})
    put(replace(A, seeds=(4,)))
    assert "# small-board" in content(hub_here)[README].decode()
