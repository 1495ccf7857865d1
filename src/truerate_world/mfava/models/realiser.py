"""The realiser: statements become sentences of a language, with offsets of what may be false."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from truerate_world.draws import draw, pick
from truerate_world.mfava.lang import RELATIONS, load
from truerate_world.mfava.models.entity_table import N_CATEGORY, RANGES, EntityTable, Value
from truerate_world.mfava.models.forms import INSERTED, SHELVES, STATING, Name, count, forms

Span = tuple[int, int]


class Statement(NamedTuple):
    """A statement in no language: a form, a subject, and a value where the form has a hole for one."""

    name: Name
    subject: int
    value: Value | None = None

    @property
    def relation(self) -> str | None:
        """The relation that is stated, None for sentences that state none."""
        return self.name.shelf if self.name.kind in STATING else None

    def in_next_form(self) -> "Statement":
        """The same in another of its forms."""
        return self._replace(name=self.name._replace(number=self.name.number + 1))


class Line(NamedTuple):
    """A written sentence, and where its value and the words around its relation stand in it."""

    text: str
    value: Span | None
    words: Span | None


@lru_cache(maxsize=50_000)
def line(table: EntityTable, code: str, statement: Statement) -> Line:
    """A sentence as a language writes it, with its end mark; numbers beyond its forms wrap around."""
    name, domain = statement.name, table.entities[statement.subject].domain
    form = forms(code, domain).get(name)
    if form is None:
        number = name.number % count(code, domain, name.kind, name.shelf)
        form = forms(code, domain)[name._replace(number=number)]
    filled = {"s": table.names[code][statement.subject]}
    if statement.value is not None:
        filled["v"] = filled["w"] = table.text(statement.value, code)
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


def write(table: EntityTable, code: str, statements: Sequence[Statement]) -> str:
    """A text of sentences."""
    return join(code, [line(table, code, statement).text for statement in statements])


def false_spans(
    table: EntityTable, statement: Statement, n: int, value: Span | None, around: Span | None
) -> list[dict]:
    """Return the false spans of a sentence: an insertion whole, a wrong value, wrong words."""
    if statement.name.kind in INSERTED:
        return [{"start": 0, "end": n, "type": statement.name.kind}]
    spans = []
    if statement.relation is not None:
        if statement.name.is_wrong and around is not None:
            spans.append({"start": around[0], "end": around[1], "type": "relation"})
        if value is not None and statement.value != table.fact(statement.subject, statement.relation):
            spans.append({"start": value[0], "end": value[1], "type": "entity"})
    return sorted(spans, key=lambda span: span["start"])


def shifted(spans: Sequence[dict], by: int) -> list[dict]:
    """Spans with their offsets moved."""
    return [{**span, "start": span["start"] + by, "end": span["end"] + by} for span in spans]


def composed(table: EntityTable, code: str, statements: list[Statement]) -> tuple[str, list[dict]]:
    """A text of sentences and everything that is false in it."""
    text, spans, gap = "", [], load(code).join
    for statement in statements:
        text += gap if text else ""
        sentence, value, words = line(table, code, statement)
        spans += shifted(false_spans(table, statement, len(sentence), value, words), len(text))
        text += sentence
    return text, spans


def marked(table: EntityTable, code: str, right: Statement, wrong: Statement) -> str:
    """Return a sentence in FAVA's tags, with the replaced value or words as deleted."""
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
    """Return a wrong value: with `p_near` one of `near`, else any of its kind."""
    right = table.entities[subject].facts[relation]
    wrong = {value for value in near if value not in (right, ("e", subject))}
    near = sorted(value for value in wrong if _sort(table, value) == _sort(table, right))
    if near and draw(*key, "near") < p_near:
        return pick(near, *key, "which")
    others = _others(table, subject, relation, right, *key)
    others = [value for value in others if value != right and value not in near]
    return pick(others or near, *key, "other")


def _sort(table: EntityTable, value: Value) -> str:
    """What may replace a value: entities of its domain, entries of its category, years, numbers."""
    kind, content = value
    if kind == "e":
        return table.entities[content].domain
    return content.split("/")[0] if kind == "c" else kind


def _others(table: EntityTable, subject: int, relation: str, right: Value, *key: object) -> list[Value]:
    kind, content = right
    if kind == "e":
        entity = table.entities[content]
        return [("e", index) for index in table.groups[entity.role, entity.domain] if index != subject]
    if kind == "c":
        category = content.split("/")[0]
        return [("c", f"{category}/{index}") for index in range(N_CATEGORY)]
    low, high, step = RANGES[relation]
    reach = 60 if RELATIONS[relation] == "y" else max(5, content // 2 // step)
    moves = [int(draw(*key, "move", turn) * reach) + 1 for turn in range(8)]
    signs = [1 if draw(*key, "up", turn) < 0.5 else -1 for turn in range(8)]
    numbers = [content + step * move * sign for move, sign in zip(moves, signs, strict=True)]
    return [(kind, number) for number in numbers if low <= number <= high] or [(kind, content + step)]


def insertion(
    table: EntityTable, kind: str, shelf: str, subject: int, reference: Sequence[Statement], *key: object
) -> Statement:
    """Return a sentence of a type that no reference has; it may contradict facts of the `reference`."""
    name, value = Name(kind, shelf, int(draw(*key, kind, "place") * SHELVES[shelf])), None
    if kind == "contradictory":
        values = [fact.value for fact in reference if fact.subject == subject and fact.relation]
        values = values or list(table.entities[subject].facts.values())
        value = pick(values, *key, "contradicted")
    if kind == "invented":
        value = ("w", int(draw(*key, "word") * len(table.invented["en"])))
    return Statement(name, subject, value)


@lru_cache(maxsize=20_000)
def reference(
    table: EntityTable, subject: int, turn: int = 0, form: int | None = None
) -> tuple[Statement, ...]:
    """Return a reference: the opening, three facts of the subject and two of a mate of its domain.
    `form`: the index of the form of all its facts.
    """
    entity, key = table.entities[subject], (table.seed, "reference", subject, turn)
    mate = table.mate(subject, turn)
    relations = list(entity.facts)[:3]
    left_out = int(draw(*key, "mate") * 3)
    facts = [(subject, relation) for relation in relations]
    facts += [(mate, relation) for index, relation in enumerate(relations) if index != left_out]
    lead = Statement(Name("lead"), subject)
    return lead, *(reference_fact(table, *fact, *key, form=form) for fact in facts)


def reference_fact(
    table: EntityTable, subject: int, relation: str, *key: object, form: int | None = None
) -> Statement:
    """A true fact in a form of references; drawn over twelve: two and three forms are dealt evenly."""
    number = int(draw(*key, "told", subject, relation) * 12) if form is None else form
    return Statement(Name("told", relation, number), subject, table.fact(subject, relation))


def fact(
    table: EntityTable, subject: int, relation: str, *key: object, forms: Sequence[int] = range(12)
) -> Statement:
    """A true fact in other words than references use, in one of these forms."""
    name = Name("said", relation, pick(forms, *key, "said", subject, relation))
    return Statement(name, subject, table.fact(subject, relation))


def question(table: EntityTable, code: str, subject: int, relation: str, *key: object) -> str:
    """A question for a relation of an entity."""
    name = Name("ask", relation, int(draw(*key, "ask", subject, relation) * 12))
    return line(table, code, Statement(name, subject)).text.removesuffix(load(code).full_stop)
