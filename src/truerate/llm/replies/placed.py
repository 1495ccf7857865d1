"""Choices by their place alone: in a box at the end, before a reason in brackets, one text copied under its own heading."""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies.mentions import alone_name, mention

_BOX = lazy(
    r"^[\s$\\(\[]*\\boxed\s*\{(?:\\text\s*\{)?(?P<inside>[^{}\n]{1,60})\}?\}[\s$.\\)\]]*", re.MULTILINE
)
# before a box: another pick, which it may not be
_PICKS = lazy(r"\b(?:choos\w*|choice|pick\w*|select\w*|prefer\w*|best|better|if|not)\b|n't\b|\?\s*\Z", re.I)
_BRACKETED = lazy(
    r"\A[\s*_#\"'`]*(?P<name>[^()\n:]{3,20}?)[\s*_#\"'`.]*\((?P<reason>[^()\n]{3,300})\)[\s.*_]*\Z"
)
# in a reason: the other text is one as well, or the pick is none
_OPEN = lazy(
    r"\b(?:or|either|neither|maybe|perhaps|possibly|not\s+sure|unsure|tie|tied|equally|if|unless|not|no|wait|actually|"
    r"correct\w*|right|accurate|faithful|fine|better|best|wrong|false|hallucinat\w*|worse|other|contradict\w*|unsupported|invent\w*|"
    r"fabricat\w*|errors?|mistakes?)\b|n't\b|\?",
    re.I,
)
_BOTH_ARE = lazy(r"\bboth\s+(?:are|contain|have|were|look|seem)\b[^,;]*[,;]?", re.I)
_COPIED = lazy(
    r"\A[ \t*_]*#+[ \t]*(?P<name>[^#\n:]{3,20}?)[ \t]*#+[ \t*_]*:[ \t*_]*(?P<text>[^\n]{3,600})\s*\Z"
)
# under a heading of one text, words that speak of it instead
_JUDGES = lazy(
    r"\A\W*(?:yes|no|true|false|correct|wrong|incorrect|right|best|better|worse|hallucinat\w*|good|bad|\d[\d./ ]*)\W*\Z|"
    r"\A\W*(?:yes|no)\W|\b(?:hallucinat\w*|fabricat\w*|contradict\w*|unsupported|score|rating|the\s+(?:knowledge|document|answer|response|summary))\b",
    re.I,
)


def placed(text: str, names: Sequence[str]) -> str | None:
    """The name that ends a reply in a box (`\\boxed{Answer 1}`; of several boxes all the same), that stands alone before
    one pair of brackets (`Answer 1 (it is more natural)`), or under which one text and nothing else is copied
    (`#Answer 1#: the Weser`). None otherwise, and where the words in brackets may speak against it.
    """
    boxes = list(_BOX.finditer(text))
    if boxes and boxes[-1].end() == len(text) and not _PICKS.search(text[: boxes[-1].start()]):
        boxed = {alone_name(one["inside"], names) for one in boxes}
        return boxed.pop() if len(boxed) == 1 else None
    if (found := _BRACKETED.match(text)) and (name := alone_name(found["name"], names)):
        reason = _BOTH_ARE.sub("", found["reason"])
        return None if mention().search(reason) or _OPEN.search(reason) else name
    if (found := _COPIED.match(text)) and (name := alone_name(found["name"], names)):
        return None if mention().search(found["text"]) or _JUDGES.search(found["text"]) else name
    return None
