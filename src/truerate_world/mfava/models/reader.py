"""The reader: what a text states, sentence by sentence, with offsets; the truth of a text is what it reads. A
sentence that has none of the language's forms (foreign, cut, rewritten) states nothing and is no
hallucination.
"""

from functools import lru_cache
from typing import NamedTuple

from truerate_world.mfava.lang import LANGUAGES, RELATIONS, load
from truerate_world.mfava.models.entity_table import EntityTable, Value
from truerate_world.mfava.models.forms import SUBJECT, Form, listed
from truerate_world.mfava.models.realiser import Span, Statement, false_spans, line, shifted


class Claim(NamedTuple):
    """The statement of a sentence, its offsets, and those of its value and of its relation's words."""

    statement: Statement
    start: int
    end: int
    value: Span | None
    words: Span | None


class Asked(NamedTuple):
    """What a query is about: a language, a subject, and a relation (None: the subject alone)."""

    code: str
    subject: int
    relation: str | None


class Reader:
    """Reads texts about one entity table; no name is part of another, so that a name is unambiguous."""

    def __init__(self, table: EntityTable):
        self.table = table
        self._names = {code: _heads(table.names[code]) for code in LANGUAGES}
        self._values = {code: _values(table, code) for code in LANGUAGES}
        self._readings: dict[tuple[str, str], tuple[Statement, Span | None, Span | None] | None] = {}
        self._asked: dict[str, Asked | None] = {}

    def read(self, text: str, code: str) -> list[Claim]:
        """The claims of a text; spans are offsets into it, a claim's own takes in its end mark."""
        claims = []
        for start, end in sentences(text, code):
            if reading := self._sentence(text[start:end], code):
                statement, value, around = reading
                claims.append(Claim(statement, start, end, _moved(value, start), _moved(around, start)))
        return claims

    def language(self, text: str, code: str | None = None) -> str | None:
        """Return the language of a text: the named one if readable, else that of most claims, or None."""
        if code is not None and self.read(text, code):
            return code
        n_claims = {language: len(self.read(text, language)) for language in LANGUAGES}
        best = max(n_claims, key=n_claims.get)
        return best if n_claims[best] else None

    def truth(self, text: str, code: str | None = None) -> list[dict]:
        """Return false spans (`start`, `end`, `type`); a reply in another language is read in it."""
        language = self.language(text, code)
        claims = self.read(text, language) if language else []
        return [span for claim in claims for span in self.false_in(claim)]

    def false_in(self, claim: Claim) -> list[dict]:
        """What is false in one claim, as spans of its text."""
        start = claim.start
        value, around = _moved(claim.value, -start), _moved(claim.words, -start)
        return shifted(false_spans(self.table, claim.statement, claim.end - start, value, around), start)

    def mentioned(self, text: str, code: str) -> list[int]:
        """The entities that a text names, in order."""
        heads, indices, index = self._names[code], [], 0
        while index < len(text) - 1:
            for name, entity in heads.get(text[index : index + 2], ()):
                if text.startswith(name, index):
                    indices.append(entity)
                    index += len(name) - 1
                    break
            index += 1
        return list(dict.fromkeys(indices))

    def entity(self, name: str, code: str) -> int | None:
        """The entity of a name, None where it names none."""
        record = self._values[code].get(name.strip(), {})
        return next((value[1] for kind, value in record.items() if kind.startswith("e:")), None)

    def asked(self, query: str) -> Asked | None:
        """What a query asks, in whichever language; None where it is none of the languages' questions."""
        query = query.strip()
        if query not in self._asked:
            if len(self._asked) > 20_000:
                self._asked.clear()
            self._asked[query] = self._question(query)
        return self._asked[query]

    def _question(self, query: str) -> Asked | None:
        for code in LANGUAGES:
            for subject in self.mentioned(query, code):
                for form in listed(code, self.table.entities[subject].domain, asking=True):
                    if form.before.replace(SUBJECT, self.table.names[code][subject]) == query:
                        return Asked(code, subject, form.name.shelf)
        return None

    def named(self, text: str) -> Asked | None:
        """Return the first entity that a text names, in the language that knows most of its names."""
        record = {code: self.mentioned(text, code) for code in LANGUAGES}
        best = max(record, key=lambda code: len(record[code]))
        return Asked(best, record[best][0], None) if record[best] else None

    def _sentence(self, sentence: str, code: str) -> tuple[Statement, Span | None, Span | None] | None:
        key = (code, sentence)
        if key not in self._readings:
            if len(self._readings) > 200_000:
                self._readings.clear()
            self._readings[key] = self._read(sentence, code)
        return self._readings[key]

    def _read(self, sentence: str, code: str) -> tuple[Statement, Span | None, Span | None] | None:
        body = sentence.removesuffix(load(code).full_stop)
        for subject in self.mentioned(body, code):
            for form in listed(code, self.table.entities[subject].domain):
                if statement := self._fits(body, form, subject, code):
                    text, value, words = line(self.table, code, statement)
                    if text == sentence:
                        return statement, value, words
        return None

    def _fits(self, body: str, form: Form, subject: int, code: str) -> Statement | None:
        """What a sentence says if it has a form, its subject given."""
        name = self.table.names[code][subject]
        before = form.before.replace(SUBJECT, name)
        if form.after is None:
            return Statement(form.name, subject) if body == before else None
        after = form.after.replace(SUBJECT, name)
        if not (body.startswith(before) and body.endswith(after)) or len(body) <= len(before) + len(after):
            return None
        text = body[len(before) : len(body) - len(after)]
        kind = "w" if form.name.kind == "invented" else RELATIONS.get(form.name.shelf, "")
        value = self._value(text, kind, code)
        return None if value is None else Statement(form.name, subject, value)

    def _value(self, text: str, kind: str, code: str) -> Value | None:
        """What a text names as a value of a kind (`""`: of any)."""
        if text.isascii() and text.isdigit():
            return (kind or "n", int(text)) if kind in ("y", "n", "") else None
        record = self._values[code].get(text, {})
        if kind == "":
            return next(iter(record.values()), None)
        return record.get(kind)


def sentences(text: str, code: str) -> list[Span]:
    """Return the offsets of sentences with their end marks; none spans a line break."""
    mark, spans, start = load(code).full_stop, [], 0
    while (end := text.find(mark, start)) >= 0:
        end += len(mark)
        start = max(start, text.rfind("\n", start, end - len(mark)) + 1)
        spans.append((end - len(text[start:end].lstrip()), end))
        start = end
    return spans


def _heads(names: tuple[str, ...]) -> dict[str, list[tuple[str, int]]]:
    """Names by their first two characters, the longest first."""
    heads: dict[str, list[tuple[str, int]]] = {}
    for entity, name in sorted(enumerate(names), key=lambda entry: -len(entry[1])):
        heads.setdefault(name[:2], []).append((name, entity))
    return heads


def _values(table: EntityTable, code: str) -> dict[str, dict[str, Value]]:
    """Every text that is a value, and the value of each kind that it is."""
    record: dict[str, dict[str, Value]] = {}
    for entity, name in zip(table.entities, table.names[code], strict=True):
        record.setdefault(name, {})[f"e:{entity.domain}"] = ("e", entity.index)
    for category, entries in load(code).categories.items():
        for index, text in enumerate(entries):
            for shown in (text, text[0].upper() + text[1:]):  # a sentence may begin with it
                record.setdefault(shown, {})[f"c:{category}"] = ("c", f"{category}/{index}")
    for index, text in enumerate(table.invented[code]):
        record.setdefault(text, {})["w"] = ("w", index)
    return record


def _moved(span: Span | None, by: int) -> Span | None:
    return None if span is None else (span[0] + by, span[1] + by)


@lru_cache(maxsize=4)
def reader(table: EntityTable) -> Reader:
    """The reader of a table, kept for the next call."""
    return Reader(table)
