"""Labelled passages in FAVA's tags: those that detectors learn from, and those that are held out, whose
wordings training never shows.
"""

from collections.abc import Sequence
from typing import NamedTuple

from truerate_world.draws import draw, pick, pick_weighted, shuffled
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.forms import INSERTED
from truerate_world.mfava.models.reader import Reader
from truerate_world.mfava.models.silver import passage
from truerate_world.mfava.models.wild import mistold

CODE = "en"  # in which they are handed out; other languages get them translated
P_RIGHT = 0.15  # of passages without any error
P_MISTOLD = {"entity": 0.2, "relation": 0.08}  # that a sentence of the others is
N_INSERTED = {"0": 0.25, "1": 0.5, "2": 0.25}  # inserted sentences of the others


class Wording(NamedTuple):
    """What a set of passages shows: entities of which role, the form of what stands in its references' words,
    forms of other words, the shelf of insertions.
    """

    role: str
    told: int
    said: Sequence[int]
    shelf: str


TAUGHT = Wording("train", told=0, said=(0, 1), shelf="taught")
# Not a sentence of these stands in training, true or false: else what is new to a network would be what is
# false.
HELD_OUT = Wording("silver", told=1, said=(2,), shelf="written")


class Example(NamedTuple):
    """One labelled passage and its reference."""

    subject: int
    reference: str
    marked: str


def example(reader: Reader, place: int, code: str = CODE, *, wording: Wording = TAUGHT) -> Example:
    """The labelled passage of a place; beyond the role's entities each comes again with another reference and
    other errors.

    In every language it says the same, right and wrong, as if it had been written there. Errors are as
    frequent in either wording.
    """
    table = reader.table
    entities = table.of(wording.role)
    subject, turn = entities[place % len(entities)], place // len(entities)
    known = realiser.reference(table, subject, turn, wording.told)
    key = (table.seed, wording.role, place)
    said = passage(table, subject, known, None, *key, forms=wording.said, turns=False)
    is_right = draw(*key, "right") < P_RIGHT
    lines = [
        _told(reader, code, one, None if is_right else _drawn(*key, turn), wording, *key, turn)
        for turn, one in enumerate(said)
    ]
    if not is_right:
        for turn, kind in enumerate(
            shuffled(INSERTED, *key, "types")[: int(pick_weighted(N_INSERTED, *key, "n"))]
        ):
            one = realiser.insertion(table, kind, wording.shelf, subject, known, *key, turn)
            at = pick(range(1, len(lines) + 1), *key, "at", turn)
            lines.insert(at, f"<{kind}>{realiser.line(table, code, one).text}</{kind}>")
    return Example(subject, realiser.write(table, code, known), realiser.join(code, lines))


def _drawn(*key: object) -> str | None:
    """Which way a sentence is mistold, if any."""
    left = draw(*key, "mistold")
    for kind, rate in P_MISTOLD.items():
        left -= rate
        if left < 0:
            return kind
    return None


def _told(
    reader: Reader, code: str, right: realiser.Said, kind: str | None, wording: Wording, *key: object
) -> str:
    """A sentence as it is, or mistold with its tags; a wrong relation is one of words that no reference uses."""
    if kind is None:
        return realiser.line(reader.table, code, right).text
    if kind == "relation":
        right = realiser.fact(reader.table, right.subject, right.relation, *key, forms=wording.said)
    return realiser.marked(reader.table, code, right, mistold(reader.table, right, kind, wording.shelf, *key))
