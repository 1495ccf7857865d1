"""How a reply ended, by the word that its server gives: whole by a list of words; else cut or filtered, by
parts of words; else broken off.

The words are those of the OpenAI protocol and what servers and proxies hand on of others: Anthropic, Google,
Bedrock, Cohere, Mistral, DeepSeek, Z.AI, watsonx, TGI, vLLM, SGLang, llama.cpp and Ollama. A word on no list
is that of a reply that broke off, for a fragment that counts as whole is a wrong row.
"""

import re
from functools import lru_cache

WHOLE = frozenset(
    "stop stopped end_turn eos eos_token eos_found end_of_text endoftext end_of_sequence end_of_turn end "
    "stop_sequence"
    " stop_sequences stop_token stop_word stop_words stop_string stop_str stop_criteria_met word"
    " tool_call tool_calls tool_use function_call function_calls"
    " complete completed done finish finished success succeeded normal null none".split()
)
CUT = re.compile(r"length|context|(?:max|token|error)_?limit|max_(?:\w+_)?tokens?|^limit")
FILTERED = re.compile(
    r"filter|safe|sensitive|moderat|guardrail|refus|block|prohibit|recitation|spii|model_armor|toxic|policy"
    r"|censor"
)
# of a reply that broke off, as far as servers have words for it; only a word beyond these is told
BROKEN = frozenset(
    "error insufficient_system_resource network_error abort aborted cancel cancelled canceled user_cancel "
    "timeout"
    " time_limit server_error internal_error overloaded incomplete failed not_finished unknown other load "
    "unload"
    " pause_turn malformed_function_call malformed_tool_use malformed_model_output unexpected_tool_call "
    "language"
    " repetition".split()
)
LENGTH, FILTER = "length", "content_filter"


@lru_cache(4096)
def end(word: str | None) -> str | None:
    """How a reply ended: None or the word of a whole one, `length`, `content_filter`, or a word that
    `is_broken`.
    """
    plain = _plain(word)
    if plain is None or plain in WHOLE | BROKEN:
        return word
    return LENGTH if CUT.search(plain) else FILTER if FILTERED.search(plain) else word


def is_whole(word: str | None) -> bool:
    """Whether a reply with this end says all that it was to say."""
    return word is None or _plain(word) in WHOLE


@lru_cache(4096)
def is_broken(word: str | None) -> bool:
    """Whether a reply with this end is no whole one, and neither cut at a limit nor filtered."""
    return not is_whole(word) and end(word) not in (LENGTH, FILTER)


def is_unknown(word: str) -> bool:
    """Whether the word stands on no list."""
    return is_broken(word) and _plain(word) not in BROKEN


def _plain(word: str | None) -> str | None:
    """A word in lower case with `_` between parts, as for `endTurn` and `FinishReason.END_TURN`."""
    if word is None:
        return None
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word.strip().rpartition(".")[2])
    return re.sub(r"[\s_-]+", "_", parted).lower().removeprefix("finish_reason_").strip("<|_>")
