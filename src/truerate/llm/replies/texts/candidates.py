"""Read the texts that HaluEval asks for: candidates that should be wrong, and the name of the pattern by
which they are.
"""

import re
from collections.abc import Sequence
from typing import Literal

from truerate.llm.replies import headings, structured
from truerate.llm.replies.cutting import opened
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.texts.extraction import Form, text_of

Noun = Literal["Answer", "Response", "Summary"]


def written(
    text: str,
    noun: Noun,
    *,
    kinds: Sequence[str] = ("Hallucinated",),
    cue: str | None = None,
    needs_heading: bool = False,
    may_list: bool = False,
) -> Parsed:
    """The text that a reply gives, cleaned, or None with `thought_only`, `empty`, `refusal`, `no-answer`,
    `ambiguous`, or `absent` where it `needs_heading` and has none.

    `kinds` are the words before the noun in the prompt's heading (`Hallucinated`, `Refined`), `cue` is one
    that is made otherwise. Of several alternatives the first is taken (cut `alternatives`); a summary may be
    a list, as may any text with `may_list`.
    """
    return text_of(text, Form(noun, tuple(kinds), cue, may_list), needs_heading=needs_heading)


def closed_word(text: str, heading: str, names: Sequence[str]) -> str | None:
    """The one of a few names that stands under a heading, or under that name in JSON; None where none or
    several do.
    """
    answer = opened(text).text
    stated = next(
        (
            str(value)
            for name, value in structured.pairs(answer) or []
            if name == structured.name_key(heading)
        ),
        None,
    )
    if stated is None and (result := headings.find(answer, heading)):
        stated = answer[result[0].end :].lstrip().partition("\n")[0]
    plain = (stated or "").casefold().strip(" .`*\"'_#“”")
    leading = [
        name
        for name in sorted(names, key=len, reverse=True)
        if re.match(rf"{re.escape(name.casefold())}(?![\w-])", plain)
    ]
    if leading:
        return leading[0]
    named = [name for name in names if re.search(rf"(?<![\w-]){re.escape(name.casefold())}(?![\w-])", plain)]
    return named[0] if len(named) == 1 else None
