"""Untrusted text made safe to stand in a prompt: it cannot pose as a heading, as a chat turn or as the end of
its own block.
"""

import hashlib
import re
from functools import lru_cache

from truerate.core.text import clean

_LINE_START = r"(?:^|(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]))"
# A heading as models read one: `#Name#:`, `###Name###:`, `**###Name###**:`, perhaps behind a quote mark,
# bullet or bold.
_HEADING = re.compile(_LINE_START + r"([\s>*_\-]*)(#{1,3})([^#\n\r]{1,80}?)(#{1,3})([\s*_]*[:：])")
_TOKENS = re.compile(
    r"<(?=\|[^\n|]{0,60}\|?>)|<(?=｜[^\n]{0,60}?｜>)|<(?=</?SYS>>)"
    r"|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|tool_call|tool_response)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
_FENCE = re.compile(r"<(?=/?data-[0-9a-f]{8}>)", re.IGNORECASE)
SHORT = 8192  # characters up to which a block is kept for the next prompt
_WIDE = {"<": "＜", "[": "［"}


def neutralise(text: str) -> str:
    """The cleaned text with control marks (headings, chat tokens) as full-width forms; idempotent."""
    text = clean(text)
    if "#" in text:
        text = _HEADING.sub(_widened, text)
    if "<" in text or "[" in text:
        text = _TOKENS.sub(lambda mark: _WIDE[mark[0]], text)
    return text


def _widened(heading: re.Match[str]) -> str:
    before, opening, name, closing, after = heading.groups()
    return f"{before}{'＃' * len(opening)}{name}{'＃' * len(closing)}{after}"


def has_chat_marks(text: str) -> bool:
    """Return whether a text holds what a chat template would take for the start or end of a turn."""
    return _TOKENS.search(text) is not None


def fence(text: str) -> str:
    """The neutralised text in a block named by the text's digest, so that equal data give equal prompts."""
    return _short(text) if len(text) <= SHORT else _fenced(text)


@lru_cache(maxsize=8192)
def _short(text: str) -> str:
    """A block that is kept: one text stands in several prompts, as each variant asks about it."""
    return _fenced(text)


def _fenced(text: str) -> str:
    nonce = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    inside = _FENCE.sub(_WIDE["<"], neutralise(text))
    return f"<data-{nonce}>\n{inside}\n</data-{nonce}>"
