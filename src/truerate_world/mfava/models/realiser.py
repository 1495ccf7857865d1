"""The realiser: what is to be said becomes sentences of a language, with the exact place of what may be false in
them.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from truerate_world.draws import draw, pick
from truerate_world.mfava.lang import RELATIONS, load
from truerate_world.mfava.models.entity_table import N_CATEGORY, RANGES, EntityTable, Value
from truerate_world.mfava.models.forms import INSERTED, SHELVES, STATING, Name, count, forms

Span = tuple[int, int]


class Said(NamedTuple):
    """What one sentence says, in no language: a form about a subject, with a value where the form has a hole
    for one.
    """

    name: Name
    subject: int
    value: Value | None = None

    @property
    def relation(self) -> str | None:
        """The relation that is stated, None for sentences that state none."""
        return self.name.shelf if self.name.kind in STATING else None


class Line(NamedTuple):
    """A written sentence, and where its value and the words around its relation stand in it."""

    text: str
    value: Span | None
    words: Span | None


@lru_cache(maxsize=50_000)
def line(table: EntityTable, code: str, said: Said) -> Line:
    """A sentence as a language writes it, with its end mark. A place beyond the language's forms counts round."""
    name, domain = said.name, table.entities[said.subject].domain
    forms_by_name = forms(code, domain)
    form = (
        forms_by_name.get(name)
        or forms_by_name[name._replace(place=name.place % count(code, domain, name.kind, name.shelf))]
    )
    filled = {"s": table.names[code][said.subject]}
    if said.value is not None:
        filled["v"] = filled["w"] = table.text(said.value, code)
    starts, text, value = [], "", None
    for hole, piece in form.pieces:
        starts.append(len(text))
        text += filled[hole] if hole else piece
        if hole in ("v", "w") and value is None:
            value = (starts[-1], len(text))
    starts.append(len(text))
    if name.kind not in STATING:  # sentences that fit every domain may begin with their value
        text = text[0].upper() + text[1:]
    around = _trimmed(text, starts[form.words[0]], starts[form.words[1]]) if form.words else None
    return Line(text + load(code).full_stop, value, around)


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def join(code: str, sentences: list[str]) -> str:
    """Sentences as one text."""
    return load(code).join.join(sentences)


def write(table: EntityTable, code: str, said: Sequence[Said]) -> str:
    """A text of sentences."""
    return join(code, [line(table, code, one).text for one in said])


def false_spans(
    table: EntityTable, said: Said, n: int, value: Span | None, around: Span | None
) -> list[dict]:
    """What is false in a sentence of `n` characters, as spans from its first: an insertion whole, a wrong
    value, or wrong words.
    """
    if said.name.kind in INSERTED:
        return [{"start": 0, "end": n, "type": said.name.kind}]
    found = []
    if said.relation is not None:
        if said.name.is_wrong and around is not None:
            found.append({"start": around[0], "end": around[1], "type": "relation"})
        if value is not None and said.value != table.fact(said.subject, said.relation):
            found.append({"start": value[0], "end": value[1], "type": "entity"})
    return sorted(found, key=lambda span: span["start"])


def composed(table: EntityTable, code: str, said: list[Said]) -> tuple[str, list[dict]]:
    """A text of sentences and everything that is false in it."""
    text, spans, gap = "", [], load(code).join
    for one in said:
        text += gap if text else ""
        made = line(table, code, one)
        for span in false_spans(table, one, len(made.text), made.value, made.words):
            spans.append({**span, "start": span["start"] + len(text), "end": span["end"] + len(text)})
        text += made.text
    return text, spans


def marked(table: EntityTable, code: str, right: Said, wrong: Said) -> str:
    """A sentence in which a value or the words of its relation are replaced, in FAVA's tags with what was
    there before.
    """
    old, new = line(table, code, right), line(table, code, wrong)
    kind, (start, end), (was, had) = (
        ("relation", new.words, old.words)
        if wrong.name.is_wrong != right.name.is_wrong
        else ("entity", new.value, old.value)
    )
    tag = f"<{kind}><delete>{old.text[was:had]}</delete><mark>{new.text[start:end]}</mark></{kind}>"
    return f"{new.text[:start]}{tag}{new.text[end:]}"


def wrong_value(
    table: EntityTable, subject: int, relation: str, near: list[Value], p_near: float, *key: object
) -> Value:
    """A value that is not the true one: with `p_near` one of `near` (what the reference says of others), else
    any of its kind.
    """
    right = table.entities[subject].facts[relation]
    near = sorted(
        {
            value
            for value in near
            if value not in (right, ("e", subject)) and _sort(table, value) == _sort(table, right)
        }
    )
    if near and draw(*key, "near") < p_near:
        return pick(near, *key, "which")
    others = [
        value
        for value in _others(table, subject, relation, right, *key)
        if value != right and value not in near
    ]
    return pick(others or near, *key, "other")


def _sort(table: EntityTable, value: Value) -> str:
    """What may stand in place of a value: entities of its domain, entries of its category, years, or numbers."""
    kind, content = value
    if kind == "e":
        return table.entities[content].domain
    return content.split("/")[0] if kind == "c" else kind


def _others(table: EntityTable, subject: int, relation: str, right: Value, *key: object) -> list[Value]:
    kind, content = right
    if kind == "e":
        entity = table.entities[content]
        return [
            ("e", position) for position in table.groups[entity.role, entity.domain] if position != subject
        ]
    if kind == "c":
        category = content.split("/")[0]
        return [("c", f"{category}/{index}") for index in range(N_CATEGORY)]
    low, high, step = RANGES[relation]
    reach = 60 if RELATIONS[relation] == "y" else max(5, content // 2 // step)
    moves = [int(draw(*key, "move", turn) * reach) + 1 for turn in range(8)]
    moved = [
        content + step * (move if draw(*key, "up", turn) < 0.5 else -move) for turn, move in enumerate(moves)
    ]
    return [(kind, number) for number in moved if low <= number <= high] or [(kind, content + step)]


def insertion(
    table: EntityTable, kind: str, shelf: str, subject: int, known: Sequence[Said], *key: object
) -> Said:
    """A sentence of a type that belongs to no reference, in the phrases of a shelf. `known`: a reference
    whose facts it may contradict.
    """
    index = int(draw(*key, kind, "place") * SHELVES[shelf])
    if kind == "contradictory":
        facts = [one.value for one in known if one.subject == subject and one.relation] or list(
            table.entities[subject].facts.values()
        )
        return Said(Name(kind, shelf, index), subject, pick(facts, *key, "contradicted"))
    if kind == "invented":
        return Said(
            Name(kind, shelf, index), subject, ("w", int(draw(*key, "word") * len(table.invented["en"])))
        )
    return Said(Name(kind, shelf, index), subject)


@lru_cache(maxsize=20_000)
def reference(table: EntityTable, subject: int, turn: int = 0, form: int | None = None) -> tuple[Said, ...]:
    """What the text before the first heading says: the opening, three facts of the subject, and two of a mate
    of its domain.

    `form`: the place of the form that all of its facts are told in.
    """
    entity, key = table.entities[subject], (table.seed, "reference", subject, turn)
    mate = table.mate(subject, turn)
    relations = list(entity.facts)[:3]
    left_out = int(draw(*key, "mate") * 3)
    facts = [(subject, relation) for relation in relations] + [
        (mate, text) for position, text in enumerate(relations) if position != left_out
    ]
    return Said(Name("lead"), subject), *(
        told(table, index, relation, *key, form=form) for index, relation in facts
    )


def told(table: EntityTable, subject: int, relation: str, *key: object, form: int | None = None) -> Said:
    """A true fact in a form of references; drawn over twelve, so that two and three forms are both dealt evenly."""
    index = int(draw(*key, "told", subject, relation) * 12) if form is None else form
    return Said(Name("told", relation, index), subject, table.fact(subject, relation))


def fact(
    table: EntityTable, subject: int, relation: str, *key: object, forms: Sequence[int] = range(12)
) -> Said:
    """A true fact in other words than references use, in one of these forms."""
    return Said(
        Name("said", relation, pick(forms, *key, "said", subject, relation)),
        subject,
        table.fact(subject, relation),
    )


def question(table: EntityTable, code: str, subject: int, relation: str, *key: object) -> str:
    """A question for a relation of an entity."""
    index = int(draw(*key, "ask", subject, relation) * 12)
    return line(table, code, Said(Name("ask", relation, index), subject)).text.removesuffix(
        load(code).full_stop
    )
