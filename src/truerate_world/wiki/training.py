"""Labelled training passages in FAVA's tags: about entities of their own, with the phrases that only training shows."""

from typing import NamedTuple

from truerate_world.draws import draw, pick, pick_weighted, shuffled
from truerate_world.wiki import pen
from truerate_world.wiki.forms import INSERTED
from truerate_world.wiki.reader import Reader
from truerate_world.wiki.silver import passage
from truerate_world.wiki.wild import mistold

CODE = "en"  # in which they are handed out; other languages get them translated
P_RIGHT = 0.12  # of passages without any error
P_MISTOLD = {"entity": 0.24, "relation": 0.14}  # that a sentence of the others is
N_FORMS = 2  # answers' forms that training shows: the last of each relation is held out, or knowing all true sentences would do
N_INSERTED = {"0": 0.15, "1": 0.35, "2": 0.3, "3": 0.2}  # inserted sentences of the others


class Example(NamedTuple):
    """One labelled passage and its reference."""

    subject: int
    reference: str
    marked: str


def example(reader: Reader, place: int, code: str = CODE) -> Example:
    """The training passage of a place; beyond the role's entities each comes again with another reference and other errors.

    In every language it says the same, right and wrong, as if it had been written there.
    """
    atlas = reader.atlas
    entities = atlas.of("train")
    subject, turn = entities[place % len(entities)], place // len(entities)
    known = pen.reference(atlas, subject, turn)
    key = (atlas.seed, "train", place)
    said = passage(atlas, subject, known, None, *key, n_forms=N_FORMS)
    is_right = draw(*key, "right") < P_RIGHT
    lines = [_told(reader, code, one, None if is_right else _drawn(*key, turn), *key, turn) for turn, one in enumerate(said)]
    if not is_right:
        for turn, kind in enumerate(shuffled(INSERTED, *key, "types")[: int(pick_weighted(N_INSERTED, *key, "n"))]):
            one = pen.insertion(atlas, kind, "taught", subject, known, *key, turn)
            at = pick(range(1, len(lines) + 1), *key, "at", turn)
            lines.insert(at, f"<{kind}>{pen.line(atlas, code, one).text}</{kind}>")
    return Example(subject, pen.write(atlas, code, known), pen.join(code, lines))


def _drawn(*key: object) -> str | None:
    """Which way a sentence is mistold, if any."""
    left = draw(*key, "mistold")
    for kind, rate in P_MISTOLD.items():
        left -= rate
        if left < 0:
            return kind
    return None


def _told(reader: Reader, code: str, right: pen.Said, kind: str | None, *key: object) -> str:
    """A sentence as it is, or mistold with its tags."""
    if kind is None:
        return pen.line(reader.atlas, code, right).text
    return pen.marked(reader.atlas, code, right, mistold(reader.atlas, right, kind, "taught", *key))
