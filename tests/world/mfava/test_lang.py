"""The languages of the wiki: complete, alike in shape, filled right, and readable back without doubt."""

import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from truerate.core.errors import TruerateError
from truerate_world.mfava.lang import DOMAINS, LANGUAGES, RELATIONS, SYLLABLES_LATIN, TAKEN, load

BRACKET = re.compile(r"\[([^|\[\]]+)\|([^|\[\]]+)\]")
SLOT = re.compile(r"\{(\w)\}")
LATIN, HAN, ARABIC = (
    re.compile(letters) for letters in ("[A-Za-zÀ-ɏ]", "[\u4e00-\u9fff]", "[\u0621-\u064a]")
)
SHELVES = {"training": 8, "written": 8, "natural": 5}
# hallucination type -> what its sentences hold: {v} a value of the reference, {w} an invented stem
INSERTED = {"contradictory": "sv", "unverifiable": "s", "invented": "sw", "subjective": "s"}
# words of more than three letters that two lists of a type may share, because they only join others
SHARED = {
    "en": "that when about have some more",
    "de": "dass wird wurde eine einem einer eines haben allen mehr sein sich",
    "fr": "pour quand dans dont plus aucun aurait",
    "tr": "için göre daha arasında hiçbir",
    "zh": "并不 没有 可能 有一 有人 某个",
    "ar": "",
}


def templates(words: SimpleNamespace) -> Iterator[tuple[tuple, str, str]]:
    """Each template without bracket: its place, its text, the kind of its value (`""`: none, `w`: an invented
    word).
    """
    for relation, phrases in words.relations.items():
        for place, text in enumerate(phrases.references):
            yield ("told", relation, place), text, RELATIONS[relation]
        for place, text in enumerate(phrases.answers):
            yield ("right", relation, place), BRACKET.sub(r"\1", text), RELATIONS[relation]
            yield ("wrong", relation, place), BRACKET.sub(r"\2", text), RELATIONS[relation]
        for place, text in enumerate(phrases.asks):
            yield ("asks", relation, place), text, ""
    for domain, text in words.leads.items():
        yield ("lead", domain), text, ""
    for kind, lists in words.inserts.items():
        for shelf in SHELVES:
            for place, text in enumerate(getattr(lists, shelf)):
                yield (kind, shelf, place), text, "w"
    for name in ("REFUSALS", "FILLERS"):
        for place, text in enumerate(getattr(words, name.lower())):
            yield (name, place), text, ""


def owners(name: tuple) -> list[str]:
    """The domains whose entities a template can be about."""
    if name[0] == "lead":
        return [name[1]]
    return [domain for domain, relations in DOMAINS.items() if name[1] in relations] or list(DOMAINS)


def named(words: SimpleNamespace, domain: str, *syllables: str) -> str:
    stem = (
        "".join(words.syllables[one] for one in syllables)
        if words.syllables
        else "".join(syllables).capitalize()
    )
    return words.names[domain].format(w=stem, g=words.given[0])


def valued(words: SimpleNamespace, kind: str) -> str:
    if kind in ("y", "n"):
        return "1890"
    if kind.startswith("c:"):
        return words.categories[kind[2:]][3]
    return named(words, kind[2:] or "town", "ta", "tor", "mi")


def pattern(text: str, kind: str) -> re.Pattern:
    """What a template's sentences look like to a reader that knows no names."""
    free = "[^?？؟]+"
    slots = {"{s}": free, "{v}": r"\d+" if kind in ("y", "n") else free, "{w}": free}
    return re.compile("".join(slots.get(part) or re.escape(part) for part in re.split(r"(\{\w\})", text)))


@pytest.mark.parametrize("code", LANGUAGES)
def test_complete_and_of_the_same_shape(code):
    words, english = load(code), load("en")
    assert (
        list(words.relations)
        == [relation for relations in DOMAINS.values() for relation in relations]
        == list(RELATIONS)
    )
    assert {tuple(map(len, phrases)) for phrases in words.relations.values()} == {(2, 3, 2)}
    assert all(set(table) == set(DOMAINS) for table in (words.kinds, words.names, words.leads)) and set(
        words.called
    ) <= set(DOMAINS)
    assert {
        kind: {shelf: len(getattr(lists, shelf)) for shelf in SHELVES}
        for kind, lists in words.inserts.items()
    } == dict.fromkeys(INSERTED, SHELVES)
    for name in ("REFUSALS", "FILLERS", "HEADINGS"):
        assert len(getattr(words, name.lower())) == len(getattr(english, name.lower()))
    assert len(set(words.given)) == len(words.given) == 14
    assert set(words.categories) == {kind[2:] for kind in RELATIONS.values() if kind.startswith("c:")}
    assert all(len(set(entries)) == len(entries) == 12 for entries in words.categories.values())


@pytest.mark.parametrize("code", LANGUAGES)
def test_placeholders_and_brackets(code):
    words = load(code)
    for relation, phrases in words.relations.items():
        for text in (*phrases.references, *phrases.answers):
            assert sorted(SLOT.findall(text)) == ["s", "v"], (relation, text)
        for text in phrases.asks:
            assert SLOT.findall(text) == ["s"] and text[-1] in "?？؟"
        for text in phrases.answers:
            (found,) = BRACKET.finditer(text)
            assert not re.search(r"[\[\]|]", text[: found.start()] + text[found.end() :])
            for side in found.groups():
                assert len(side) <= 6 if code == "zh" else len(side.split()) <= 3, text
    for kind, lists in words.inserts.items():
        for text in (*lists.training, *lists.written, *lists.natural):
            assert sorted(SLOT.findall(text)) == sorted(INSERTED[kind]), text
    for text in (*words.leads.values(), *words.refusals, *words.fillers):
        assert SLOT.findall(text) == ["s"]
    assert all(SLOT.findall(shown) == ["s"] for shown in words.called.values())
    assert {domain: sorted(SLOT.findall(shown)) for domain, shown in words.names.items()} == {
        **dict.fromkeys(DOMAINS, ["w"]),
        "person": ["g", "w"],
    }


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_sentence_is_read_back_as_its_own_template(code):
    words = load(code)
    known = [(name, pattern(text, kind)) for name, text, kind in templates(words)]
    for name, text, kind in templates(words):
        for domain in owners(name):
            subject = named(words, domain, "lo", "mir")
            if name[0] in INSERTED or name[0] in ("REFUSALS", "FILLERS"):
                subject = words.called.get(domain, "{s}").format(s=subject)
            value = valued(words, kind)
            sentence = text.format(s=subject, v=value, w=value)
            assert [other for other, shape in known if shape.fullmatch(sentence)] == [name], sentence


@pytest.mark.parametrize("code", LANGUAGES)
def test_names_and_values_stay_apart_from_the_text_around_them(code):
    """A name that touched a letter of the template would be inflected, or could not be told from its neighbour."""
    for _, text, _ in templates(load(code)):
        assert not re.search(r"\}\s*\{", text), text
        if code != "zh":
            assert not re.search(r"\w\{|\}\w|\}['’]\w", text), text
        assert load(code).full_stop not in text


def test_scripts_are_right():
    for code, script in (("zh", HAN), ("ar", ARABIC)):
        words = load(code)
        shown = [SLOT.sub("", text) for _, text, _ in templates(words)]
        shown += [*words.given, *words.headings, *words.kinds.values(), *words.syllables.values()]
        shown += [entry for entries in words.categories.values() for entry in entries]
        assert all(script.search(text) and not LATIN.search(text) for text in shown)
        assert not any(LATIN.search(SLOT.sub("", text)) for text in words.names.values())
    for code in ("en", "de", "fr", "tr"):
        assert not any(HAN.search(text) or ARABIC.search(text) for _, text, _ in templates(load(code)))


def test_syllables_spell_different_stems_differently_in_every_script():
    assert len(set(SYLLABLES_LATIN)) == len(SYLLABLES_LATIN) == 60
    assert all(re.fullmatch("[^aeiou][aeio][^aeiou]?", one) for one in SYLLABLES_LATIN)
    for code in LANGUAGES:
        written = load(code).syllables
        if written is not None:
            assert set(written) == set(SYLLABLES_LATIN)
            pairs = {written[a] + written[b] for a in written for b in written}
            assert len(set(written.values())) == 60 and len(pairs) == 60 * 60
    made = {a + b for a in SYLLABLES_LATIN for b in SYLLABLES_LATIN}
    assert TAKEN <= made | {two + one for two in made for one in SYLLABLES_LATIN}


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_three_lists_of_insertions_share_no_wording(code):
    allowed = set(SHARED[code].split())
    for lists in load(code).inserts.values():
        training, written, natural = (_wording(code, getattr(lists, shelf)) - allowed for shelf in SHELVES)
        assert not (training & written | training & natural | written & natural)


def _wording(code: str, texts: tuple[str, ...]) -> set[str]:
    """Words of more than three letters; pairs of characters where words are not spaced."""
    bare = [SLOT.sub(" ", text).lower() for text in texts]
    if code != "zh":
        return {word for text in bare for word in re.findall(r"\w{4,}", text)}
    return {
        run[place : place + 2]
        for text in bare
        for run in re.findall(r"[\u4e00-\u9fff]+", text)
        for place in range(len(run) - 1)
    }


def test_french_never_contracts_and_never_elides():
    """ "à le", "de le" and "de" before a vowel would be wrong; fields and awards stand after "de" and "du"."""
    words = load("fr")
    for name, text, _ in templates(words):
        if name[0] in INSERTED or name[0] in ("REFUSALS", "FILLERS"):
            assert not re.search(r"\b(à|de|d') ?\{s\}", text), text
    assert not any(field.startswith(("le ", "les ")) for field in words.categories["field"])
    assert all(award.startswith("prix ") for award in words.categories["award"])
    assert not any(given[0] in "AEIOUHÉ" for given in words.given)


def test_german_names_are_never_in_the_genitive():
    for _, text, _ in templates(load("de")):
        assert not re.search(r"\b(des|eines) \{", text), text


def test_unknown_language():
    with pytest.raises(TruerateError, match="'xx' is not spoken in the closed world's wiki; spoken: .*tr"):
        load("xx")
