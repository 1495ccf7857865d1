"""Labelled passages in FAVA's tags: for training, and held-out ones with other wordings."""

from collections.abc import Sequence
from typing import NamedTuple

from truerate_world.draws import draw, pick, pick_by_rate, pick_weighted, shuffled
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
    """Role of the entities, form of the references' words, forms of others, and shelf of insertions."""

    role: str
    reference: int
    forms: Sequence[int]
    shelf: str


TRAINING = Wording("train", reference=0, forms=(0, 1), shelf="training")
# Not a sentence of these stands in training, true or false: else what is new to a network would be what is
# false.
HELD_OUT = Wording("silver", reference=1, forms=(2,), shelf="written")


class Example(NamedTuple):
    """One labelled passage and its reference."""

    subject: int
    reference: str
    marked: str


def example(reader: Reader, index: int, code: str = CODE, *, wording: Wording = TRAINING) -> Example:
    """Return the labelled passage of a position; entities come back with other references and errors.
    In every language it says the same, right and wrong. Errors are as frequent in either wording.
    """
    table = reader.table
    entities = table.of(wording.role)
    subject, turn = entities[index % len(entities)], index // len(entities)
    reference = realiser.reference(table, subject, turn, wording.reference)
    key, lines = (table.seed, wording.role, index), []
    is_right = draw(*key, "right") < P_RIGHT
    facts = passage(table, subject, reference, None, *key, forms=wording.forms, turns=False)
    for turn, fact in enumerate(facts):
        kind = None if is_right else pick_by_rate(P_MISTOLD, *key, turn, "mistold")
        lines.append(_sentence(reader, code, fact, kind, wording, *key, turn))
    n_inserted = 0 if is_right else int(pick_weighted(N_INSERTED, *key, "n"))
    for turn, kind in enumerate(shuffled(INSERTED, *key, "types")[:n_inserted]):
        insertion = realiser.insertion(table, kind, wording.shelf, subject, reference, *key, turn)
        position = pick(range(1, len(lines) + 1), *key, "at", turn)
        lines.insert(position, f"<{kind}>{realiser.line(table, code, insertion).text}</{kind}>")
    return Example(subject, realiser.write(table, code, reference), realiser.join(code, lines))


def _sentence(
    reader: Reader, code: str, right: realiser.Statement, kind: str | None, wording: Wording, *key: object
) -> str:
    """A sentence as it is, or mistold with its tags; wrong relations are in words no reference has."""
    if kind is None:
        return realiser.line(reader.table, code, right).text
    if kind == "relation":
        right = realiser.fact(reader.table, right.subject, right.relation, *key, forms=wording.forms)
    return realiser.marked(reader.table, code, right, mistold(reader.table, right, kind, wording.shelf, *key))
