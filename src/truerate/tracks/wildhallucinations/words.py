"""One-word answers of a closed list, read strictly: the reply is the word itself, in whatever case and
decoration, or it is unparsed.
"""

import re
from collections.abc import Mapping

from truerate.llm.parse import Parsed, after_heading

_DECORATION = " \t\r\n.,;:!*_`'\"“”‘’()[]#-–•"
_NUMBERED = re.compile(r"\A\(?\d{1,2}\s*[.):]\s*")


def plain(text: str) -> str:
    """A word as compared with those of a list: case folded, `&` for `and`, single spaces for blanks and
    hyphens, no decoration.
    """
    bare = _NUMBERED.sub("", text.strip().strip("*_`# ")).strip(_DECORATION).casefold()
    spaced = re.sub(r"\s*&\s*", " & ", re.sub(r"[\s\-‐‑–_]+", " ", bare))
    return re.sub(r"(?<!\w)and(?!\w)", "&", " ".join(spaced.split()))


def read_word(text: str, cue: str, words: Mapping[str, str]) -> Parsed:
    """The value of the one of `words` (spelling → value) that the reply is, after its cue if it repeats it.

    Else None and the reason: `empty`, `ambiguous` where it is several of them on lines of their own,
    `absent`. A word within a sentence does not count: "not an entity" holds a word that it denies.
    """
    found = after_heading(text, cue, is_optional=True)
    if found.value is None:
        return found
    lines = [
        plain(re.sub(rf"\A\s*{re.escape(cue)}\s*:", "", line, flags=re.IGNORECASE))
        for line in found.value.splitlines()
    ]
    lines = [line for line in lines if line]
    values = {words[line] for line in lines if line in words}
    if len(values) > 1:
        return Parsed(None, "ambiguous")
    return (
        Parsed(values.pop()) if len(lines) == 1 and values else Parsed(None, "absent" if lines else "empty")
    )
