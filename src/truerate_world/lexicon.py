"""A language's names of all entities and texts of values; the scan of a text into words and entities."""

import re
from typing import NamedTuple

from truerate_world.domains import RELATIONS, Entity, Value
from truerate_world.draws import draw, pick, shuffled
from truerate_world.lang import load

_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+|[^\W_]+(?:-[^\W_]+)*|[,;]")
_DECADE = re.compile(r"\d{3}0s")
_ONSETS = "b br c d dr f g h j k l m n p r s st t tr v w z".split()
_VOWELS = "a e i o u".split()
_CODAS = "l n r m s".split()
_ENDS = "an el en is or un ath ard olm ett".split()


class Scan(NamedTuple):
    """A text as a skeleton with `§e`, `§n`, `§c` or `§d` for entities and values, and these in order."""

    skeleton: str
    things: tuple[Value, ...]


class Lexicon:
    """One language over one world; names and aliases are unique, so that a name identifies its entity."""

    def __init__(self, code: str, seed: int, entities: list[Entity]):
        self.code = code
        self.words = load(code)
        self.names = _names(self.words, seed, entities)
        self.phrases = self.words.relations
        self._lexicon = _lexicon(self.words, self.names)
        self._scans: dict[str, Scan] = {}

    def name(self, entity: int, *, alias: bool = False) -> str:
        """How an entity is called, or its other name."""
        return self.names[entity][1 if alias else 0]

    def text(self, value: Value, relation: str, *, alias: bool = False) -> str:
        """A value as it is written: a year plain, other numbers with thousands separated."""
        kind, content = value
        if kind == "e":
            return self.name(content, alias=alias)
        if kind == "c":
            name, index = content.split("/")
            return self.words.categories[name][int(index)][1 if alias else 0]
        if kind == "d":
            return f"{content}s"
        return str(content) if RELATIONS[relation].is_year else f"{content:,}"

    def scan(self, text: str) -> Scan:
        """Return the skeleton of a text and its entities, without articles and marks but `,` and `;`."""
        scan = self._scans.get(text)
        if scan is None:
            if len(self._scans) > 50_000:
                self._scans.clear()
            scan = self._scans[text] = self._scan(text)
        return scan

    def _scan(self, text: str) -> Scan:
        tokens = [token for token in _TOKEN.findall(text.lower()) if token not in self.words.articles]
        skeleton, things, index = [], [], 0
        while index < len(tokens):
            token = tokens[index]
            thing, length = self._entry(tokens, index)
            if thing is None and token[0].isdigit():
                thing, length = _number(token), 1
            if thing is None:
                skeleton.append(token)
                index += 1
            else:
                skeleton.append("§" + thing[0])
                things.append(thing)
                index += length
        return Scan(" ".join(skeleton), tuple(things))

    def _entry(self, tokens: list[str], start: int) -> tuple[Value | None, int]:
        """The longest entry of the lexicon that starts at an index, and its length in words."""
        for entry, thing in self._lexicon.get(tokens[start], ()):
            if len(entry) == 1 or tuple(tokens[start : start + len(entry)]) == entry:
                return thing, len(entry)
        return None, 0


def _number(token: str) -> Value | None:
    if _DECADE.fullmatch(token):
        return "d", int(token[:-1])
    digits = token.replace(",", "")
    return ("n", int(digits)) if digits.isdecimal() and len(digits) < 16 else None


def _names(words, seed: int, entities: list[Entity]) -> list[tuple[str, str]]:
    """Return name and alias of every entity; patterns of common words walk through shuffled combinations."""
    combos = {
        "an": shuffled([(a, n) for a in words.words["a"] for n in words.words["n"]], seed, "an"),
        "nm": shuffled([(n, m) for n in words.words["n"] for m in words.words["m"]], seed, "nm"),
    }
    stems = _stems(seed, 2 * len(entities), taken=_ordinary(words))
    names = []
    for entity in entities:
        i = entity.index
        a, n = combos["an"][i % len(combos["an"])]
        pair = combos["nm"][i % len(combos["nm"])]
        parts = {key: pick(words.words[key], seed, key, i) for key in ("building", "firm", "team")}
        given = pick(words.given[entity.gender], seed, "given", i) if entity.gender != "it" else ""
        parts |= {"w": stems[i].capitalize(), "g": given, "a": a, "n": n, "m": pair[1]}
        if "{m}" in words.names[entity.domain][0]:
            parts["n"] = pair[0]
        names.append(tuple(pattern.format(**parts) for pattern in words.names[entity.domain]))
    return names


def _ordinary(words) -> set[str]:
    """Words that no invented name may be: those of the category lists, given names and name patterns."""
    categories = ([text for entry in entries for text in entry] for entries in words.categories.values())
    lists = [*words.given.values(), *words.words.values(), *categories]
    return {word for entries in lists for entry in entries for word in _TOKEN.findall(entry.lower())}


def _stems(seed: int, n: int, *, taken: set[str]) -> list[str]:
    """Invented words, all different and none of the taken ones, not even with a country's ending."""
    stems, texts, index = [], set(taken), 0
    while len(stems) < n:
        key = (seed, "stem", index)
        index += 1
        coda = pick(_CODAS, *key, 2) if draw(*key, 3) < 0.5 else ""
        syllable = pick(_ONSETS, *key, 0) + pick(_VOWELS, *key, 1) + coda
        stem = syllable + pick(_ONSETS, *key, 4) + pick(_ENDS, *key, 5)
        if stem not in texts:
            texts |= {stem, stem + "ia"}
            stems.append(stem)
    return stems


def _lexicon(words, names: list[tuple[str, str]]) -> dict[str, list[tuple[tuple[str, ...], Value]]]:
    """First word -> entries that begin with it, longest first."""
    lexicon: dict[str, list[tuple[tuple[str, ...], Value]]] = {}
    entries = [(name, ("e", index)) for index, pair in enumerate(names) for name in pair]
    for name, lists in words.categories.items():
        entries += [(text, ("c", f"{name}/{index}")) for index, texts in enumerate(lists) for text in texts]
    for text, thing in entries:
        tokens = tuple(token for token in _TOKEN.findall(text.lower()) if token not in words.articles)
        lexicon.setdefault(tokens[0], []).append((tokens, thing))
    for listed in lexicon.values():
        listed.sort(key=lambda entry: -len(entry[0]))
    return lexicon
