"""How simulated models word lists: facts and verdicts by number, and names, in their manners.

Each function takes what is to be said and gives it back as `read`; a reply that is a thought which was never
closed holds nothing.
"""

import json
from collections.abc import Sequence

from truerate_world.draws import pick
from truerate_world.manners import PLAIN, TOKENS, Worded, drawn, is_unfinished, thoughtful, unfinished

Line = tuple[int, str | None]  # a number and what is said of it; None: nothing

_WRAPPED = {  # around a list as it stands
    "preamble": (
        "Below you find the list.\n{t}",
        "Here are the lines:\n\n{t}",
        "{t}\n\nTell me if you need more.",
    ),
    "markdown": ("```\n{t}\n```", "```text\n{t}\n```"),
    "label": ("#{cue}#:\n{t}", "### {cue}\n{t}", "**{cue}:**\n{t}"),
}
_MARKS = ("[{n}]: {v}", "[{n}] - {v}", "**[{n}]** {v}", "({n}) {v}", "{n}) {v}", "{n}. {v}")
_NONE = ("no fact", "n/a", "nothing to state", "(none)")


def _wrapped(model: str, text: str, cue: str, thought: str, manner: str, *key: object) -> str:
    if manner == "thought":
        return thoughtful(text, thought, *key)
    if manner == "token":
        return text + pick(TOKENS, *key, "token")
    return pick(_WRAPPED[manner], *key, "form").format(t=text, cue=cue) if manner in _WRAPPED else text


# ---- facts -------------------------------------------------------------------------------------------------


def facts(model: str, lines: Sequence[Line], malformed: Sequence[tuple[int, str]], *key: object) -> Worded:
    """Facts under the numbers of their sentences, None for a sentence without one.

    Of the `malformed` ones the number is lost: nobody can tell which sentence they are of. They are not read.
    """
    read = [[number, fact] for number, fact in lines]
    if is_unfinished(model, *key):
        return unfinished("\n".join(f"[{number}] {fact or 'none'}" for number, fact in lines[:2]), *key)
    manner = drawn(model, (*_WRAPPED, "thought", "token", "number", "json", "explanation"), *key)
    if manner == "json" and malformed:  # a form that has no place for a fact without its number
        manner = PLAIN
    if manner == "json":
        record: dict[str, list[str]] = {}
        for number, fact in lines:
            record.setdefault(str(number), []).extend([fact] if fact else [])
        return Worded(json.dumps(record, ensure_ascii=False, indent=1), read, manner)
    mark = pick(_MARKS, *key, "mark") if manner == "number" else "[{n}] {v}"
    none = pick(_NONE, *key, "none") if manner == "explanation" else "none"
    if manner == "explanation" and not any(fact is None for _, fact in lines):
        manner = PLAIN
    if manner == "number" and pick((True, False), *key, "bullets"):
        text = _bulleted(lines)
    else:
        text = "\n".join(mark.format(n=number, v=none if fact is None else fact) for number, fact in lines)
    text = "\n".join([text, *(f"[?] {fact}" for _, fact in malformed)]).strip()
    draft = "\n".join(f"[{number}] It may be that {fact}" for number, fact in lines[:2] if fact)
    return Worded(
        _wrapped(model, text, "Facts", draft or "I read each sentence.", manner, *key), read, manner
    )


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


# ---- verdicts ----------------------------------------------------------------------------------------------

_OTHER_WORDS = {True: ("true", "correct", "Supported"), False: ("unsupported", "refuted", "not-supported")}
_REASONS = {True: " by the first passage", False: ", no passage says so"}


def verdicts(
    model: str, lines: Sequence[tuple[int, bool | str]], claims: dict[int, str], *key: object
) -> Worded:
    """A verdict under the number of each claim; what is no verdict stands as it is and is not read."""
    read = [[number, said] for number, said in lines if isinstance(said, bool)]
    if is_unfinished(model, *key):
        return unfinished("[1] supported, it seems", *key)
    allowed = (*_WRAPPED, "thought", "token", "number", "json", "explanation", "foreign")
    manner = drawn(model, allowed, *key)
    words = {number: said if isinstance(said, str) else _plain(said) for number, said in lines}
    if manner == "json":
        return Worded(json.dumps({str(n): word for n, word in words.items()}), read, manner)
    mark = pick(_MARKS, *key, "mark") if manner == "number" else "[{n}] {v}"
    for number, said in lines:
        if isinstance(said, bool) and manner == "explanation":
            how = pick(("reason", "claim"), *key, "how")
            claim = claims[number].rstrip(".")
            words[number] = f"{claim}: {_plain(said)}" if how == "claim" else _plain(said) + _REASONS[said]
        elif isinstance(said, bool) and manner == "foreign":
            words[number] = pick(_OTHER_WORDS[said], *key, "word")
    text = "\n".join(mark.format(n=number, v=word) for number, word in words.items())
    draft = "\n".join(f"[{n}] {_plain(not said)}?" for n, said in lines[:2] if isinstance(said, bool))
    return Worded(
        _wrapped(model, text, "Verdicts", draft or "I read the passages.", manner, *key), read, manner
    )


def _plain(said: bool) -> str:
    return "supported" if said else "not supported"


# ---- names -------------------------------------------------------------------------------------------------


def names(model: str, words: Sequence[str], *key: object) -> Worded:
    """Names, one per line; `none` where there is none."""
    read = list(words)
    if is_unfinished(model, *key):
        return unfinished("\n".join(f"- {name}" for name in words) or "There may be none", *key)
    manner = drawn(model, (*_WRAPPED, "thought", "token", "number", "explanation"), *key)
    if not words:
        texts = ("None found.", "No proper nouns.", "None") if manner == "explanation" else ("none",)
        return Worded(pick(texts, *key, "none"), read, manner if manner == "explanation" else PLAIN)
    if manner == "number":
        form = pick(("{n}. {v}", "* {v}", "{v}", "- **{v}**", "• {v}"), *key, "mark")
    else:
        form = "- {v}"
    text = "\n".join(form.format(n=index, v=name) for index, name in enumerate(words, start=1))
    manner = PLAIN if manner == "explanation" else manner
    draft = "The message may name nobody at all. I read it again."
    return Worded(_wrapped(model, text, "Proper Nouns", draft, manner, *key), read, manner)
