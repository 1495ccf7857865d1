"""The reader: texts of a language back into what they say, sentence by sentence, with offsets. The truth of a
text is what it reads.

A sentence that has none of the language's forms (foreign, cut off, rewritten) says nothing and is no
hallucination.
"""

from functools import lru_cache
from typing import NamedTuple

from truerate_world.mfava.lang import LANGUAGES, RELATIONS, load
from truerate_world.mfava.models.entity_table import EntityTable, Value
from truerate_world.mfava.models.forms import SUBJECT, Form, listed
from truerate_world.mfava.models.realiser import Said, Span, false_spans, line


class Claim(NamedTuple):
    """What a sentence says, where it stands in its text, and where its value and the words around its
    relation do.
    """

    said: Said
    start: int
    end: int
    value: Span | None
    words: Span | None


class Asked(NamedTuple):
    """What a query is about: a language, a subject, and a relation (None where the subject alone was found)."""

    code: str
    subject: int
    relation: str | None


class Reader:
    """Reads texts about one table of entities. Names are unique in a language and none is a part of another,
    so a name says whom it means.
    """

    def __init__(self, table: EntityTable):
        self.table = table
        self._names = {code: _heads(table.names[code]) for code in LANGUAGES}
        self._values = {code: _values(table, code) for code in LANGUAGES}
        self._known: dict[tuple[str, str], tuple[Said, Span | None, Span | None] | None] = {}
        self._asked: dict[str, Asked | None] = {}

    def read(self, text: str, code: str) -> list[Claim]:
        """The claims of a text; spans are offsets into it, a claim's own takes in its end mark."""
        claims = []
        for start, end in sentences(text, code):
            found = self._sentence(text[start:end], code)
            if found is not None:
                said, value, around = found
                claims.append(Claim(said, start, end, _moved(value, start), _moved(around, start)))
        return claims

    def language(self, text: str, code: str | None = None) -> str | None:
        """The language in which a text can be read: the named one, else the one with the most claims; None
        where it says nothing.
        """
        if code is not None and self.read(text, code):
            return code
        n_claims = {content: len(self.read(text, content)) for content in LANGUAGES}
        best = max(n_claims, key=n_claims.get)
        return best if n_claims[best] else None

    def truth(self, text: str, code: str | None = None) -> list[dict]:
        """Everything that is false in a text: spans `start`, `end`, `type` in order. A reply in another
        language is read in that one.
        """
        content = self.language(text, code)
        return (
            [span for claim in self.read(text, content) for span in self.false_in(claim)] if content else []
        )

    def false_in(self, claim: Claim) -> list[dict]:
        """What is false in one claim, as spans of its text."""
        start = claim.start
        value, around = _moved(claim.value, -start), _moved(claim.words, -start)
        spans = false_spans(self.table, claim.said, claim.end - start, value, around)
        return [{**span, "start": span["start"] + start, "end": span["end"] + start} for span in spans]

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
        """The first entity that a text names, in the language whose name it is (the one that knows most of
        them).
        """
        record = {code: self.mentioned(text, code) for code in LANGUAGES}
        best = max(record, key=lambda code: len(record[code]))
        return Asked(best, record[best][0], None) if record[best] else None

    def _sentence(self, sentence: str, code: str) -> tuple[Said, Span | None, Span | None] | None:
        key = (code, sentence)
        if key not in self._known:
            if len(self._known) > 200_000:
                self._known.clear()
            self._known[key] = self._read(sentence, code)
        return self._known[key]

    def _read(self, sentence: str, code: str) -> tuple[Said, Span | None, Span | None] | None:
        body = sentence.removesuffix(load(code).full_stop)
        for subject in self.mentioned(body, code):
            for form in listed(code, self.table.entities[subject].domain):
                said = self._fits(body, form, subject, code)
                if said is not None:
                    written = line(self.table, code, said)
                    if written.text == sentence:
                        return said, written.value, written.words
        return None

    def _fits(self, body: str, form: Form, subject: int, code: str) -> Said | None:
        """What a sentence says if it has a form, its subject given."""
        name = self.table.names[code][subject]
        before = form.before.replace(SUBJECT, name)
        if form.after is None:
            return Said(form.name, subject) if body == before else None
        after = form.after.replace(SUBJECT, name)
        if not (body.startswith(before) and body.endswith(after)) or len(body) <= len(before) + len(after):
            return None
        text = body[len(before) : len(body) - len(after)]
        kind = "w" if form.name.kind == "invented" else RELATIONS.get(form.name.shelf, "")
        value = self._value(text, kind, code)
        return None if value is None else Said(form.name, subject, value)

    def _value(self, text: str, kind: str, code: str) -> Value | None:
        """What a text names as a value of a kind (`""`: of any)."""
        if text.isascii() and text.isdigit():
            return (kind or "n", int(text)) if kind in ("y", "n", "") else None
        record = self._values[code].get(text, {})
        if kind == "":
            return next(iter(record.values()), None)
        return record.get(kind)


def sentences(text: str, code: str) -> list[Span]:
    """Where the sentences of a text stand, each with its end mark; none spans a line break, none is what
    follows the last end mark.
    """
    mark, found, start = load(code).full_stop, [], 0
    while (end := text.find(mark, start)) >= 0:
        end += len(mark)
        start = max(start, text.rfind("\n", start, end - len(mark)) + 1)
        found.append((end - len(text[start:end].lstrip()), end))
        start = end
    return found


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
