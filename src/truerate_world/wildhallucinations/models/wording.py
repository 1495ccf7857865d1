"""Wording of lists: facts and verdicts by number, and names; an unfinished thought holds none."""

import json
from collections.abc import Sequence

from truerate_world.data import beside
from truerate_world.draws import pick
from truerate_world.manners import PLAIN, Worded, around, drawn, is_unfinished, unfinished

Line = tuple[int, str | None]  # a number and the fact under it; None: nothing

_DATA = beside(__file__)
_WRAPPED = _DATA["wrapped"]
_ALLOWED = (*_WRAPPED, "thought", "token", "number", "explanation")


def _wrapped(text: str, read: list, cue: str, thought: str, manner: str, *key: object) -> Worded:
    if reply := around(text, None, manner, *key, thought=thought):
        text = reply.text
    elif manner in _WRAPPED:
        text = pick(_WRAPPED[manner], *key, "form").format(t=text, cue=cue)
    return Worded(text, read, manner)


def facts(model: str, lines: Sequence[Line], malformed: Sequence[tuple[int, str]], *key: object) -> Worded:
    """Word facts under the numbers of their sentences (None: without one); `malformed` are not read."""
    read = [[number, fact] for number, fact in lines]
    if is_unfinished(model, *key):
        return unfinished("\n".join(f"[{number}] {fact or 'none'}" for number, fact in lines[:2]), *key)
    manner = drawn(model, (*_ALLOWED, "json"), *key)
    if manner == "json" and not malformed:  # a form that has no place for a fact without its number
        facts_by_number: dict[str, list[str]] = {}
        for number, fact in lines:
            facts_by_number.setdefault(str(number), []).extend([fact] if fact else [])
        return Worded(json.dumps(facts_by_number, ensure_ascii=False, indent=1), read, manner)
    mark = pick(_DATA["marks"], *key, "mark") if manner == "number" else "[{n}] {v}"
    none = pick(_DATA["no_fact"], *key, "none") if manner == "explanation" else "none"
    if manner == "json" or (manner == "explanation" and all(fact is not None for _, fact in lines)):
        manner = PLAIN
    if manner == "number" and pick((True, False), *key, "bullets"):
        text = _bulleted(lines)
    else:
        text = "\n".join(mark.format(n=number, v=none if fact is None else fact) for number, fact in lines)
    text = "\n".join([text, *(f"[?] {fact}" for _, fact in malformed)]).strip()
    draft = "\n".join(f"[{number}] It may be that {fact}" for number, fact in lines[:2] if fact)
    return _wrapped(text, read, "Facts", draft or "I read each sentence.", manner, *key)


def _bulleted(lines: Sequence[Line]) -> str:
    """The facts of each sentence as bullets below its number."""
    shown, before = [], None
    for number, fact in lines:
        if fact is None:
            shown.append(f"[{number}] none")
        else:
            shown += [*([f"[{number}]"] if number != before else []), f"- {fact}"]
        before = number
    return "\n".join(shown)


def verdicts(
    model: str, lines: Sequence[tuple[int, bool | str]], claims: dict[int, str], *key: object
) -> Worded:
    """A verdict under the number of each claim; what is no verdict stands as it is and is not read."""
    read = [[number, verdict] for number, verdict in lines if isinstance(verdict, bool)]
    if is_unfinished(model, *key):
        return unfinished("[1] supported, it seems", *key)
    manner = drawn(model, (*_ALLOWED, "json", "foreign"), *key)
    words = {number: _plain(verdict) for number, verdict in lines}
    if manner == "json":
        return Worded(json.dumps({str(n): word for n, word in words.items()}), read, manner)
    mark = pick(_DATA["marks"], *key, "mark") if manner == "number" else "[{n}] {v}"
    for number, verdict in read:
        if manner == "explanation":
            is_claim = pick((False, True), *key, "how")
            claim, reason = claims[number].rstrip("."), _DATA["reasons"][verdict]
            words[number] = f"{claim}: {_plain(verdict)}" if is_claim else _plain(verdict) + reason
        elif manner == "foreign":
            words[number] = pick(_DATA["other_words"][verdict], *key, "word")
    text = "\n".join(mark.format(n=number, v=word) for number, word in words.items())
    draft = "\n".join(f"[{n}] {_plain(not word)}?" for n, word in lines[:2] if isinstance(word, bool))
    return _wrapped(text, read, "Verdicts", draft or "I read the passages.", manner, *key)


def _plain(verdict: bool | str) -> str:
    return verdict if isinstance(verdict, str) else "supported" if verdict else "not supported"


def names(model: str, words: Sequence[str], *key: object) -> Worded:
    """Names, one per line; `none` where there is none."""
    read = list(words)
    if is_unfinished(model, *key):
        return unfinished("\n".join(f"- {name}" for name in words) or "There may be none", *key)
    manner = drawn(model, _ALLOWED, *key)
    if not words:
        is_explained = manner == "explanation"
        texts = _DATA["no_name"] if is_explained else ("none",)
        return Worded(pick(texts, *key, "none"), read, manner if is_explained else PLAIN)
    form = pick(_DATA["name_marks"], *key, "mark") if manner == "number" else "- {v}"
    text = "\n".join(form.format(n=index, v=name) for index, name in enumerate(words, start=1))
    draft = "The message may name nobody at all. I read it again."
    return _wrapped(text, read, "Proper Nouns", draft, PLAIN if manner == "explanation" else manner, *key)
