"""What a decoder reads and writes about one response, in tokens: a prompt, and the judgement as its
completion.

The window of `max_tokens` holds both. The conversation gives way first, from its beginning, then the
knowledge, from its end; the response never does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerate.detectors.tokens.encode import Coder
from truerate.detectors.tokens.labels import IGNORED

KNOWLEDGE, CONVERSATION, RESPONSE, CUE = "Knowledge: ", "\nConversation: ", "\nResponse: ", "\nHallucinated? "
YES, NO, END = "Yes.", "No.", "\n"
N_WRITTEN = 160  # tokens that a judgement may have


@dataclass(frozen=True)
class Example:
    """A prompt with its completion, and labels (tokens,): IGNORED in the prompt."""

    name: str
    ids: np.ndarray
    labels: np.ndarray
    n_answers: int = 1

    @property
    def n_tokens(self) -> int:
        """Tokens of both."""
        return len(self.ids)

    @property
    def n_targets(self) -> int:
        """Tokens of the completion, which are learned."""
        return int((self.labels != IGNORED).sum())


def prompt(coder: Coder, row: Mapping[str, Any], room: int) -> np.ndarray | None:
    """The ids of a prompt of at most `room` tokens; None where the response alone leaves none for it."""
    conversation = "\n".join(part for part in (row["history"], row["question"]) if part.strip())
    texts = (KNOWLEDGE, row["knowledge"], CONVERSATION, conversation, RESPONSE + row["text"] + CUE)
    head, knowledge, between, turns, last = (ids for ids, _ in coder.encode(texts))
    left = room - len(coder.start) - len(head) - len(between) - len(last)
    if left < 0:
        return None
    knowledge = knowledge[:left]
    turns = turns[len(turns) - min(len(turns), left - len(knowledge)) :]
    parts = [np.array(coder.start, np.int32), head, knowledge, between, turns, last]
    return np.concatenate(parts).astype(np.int64)


def completion(row: Mapping[str, Any]) -> str:
    """The judgement of a labelled text: `No.`, or `Yes.` with its reason, which quotes its segments."""
    if not row["is_hallucinated"]:
        return NO + END
    reason = " ".join((row["rationale"] or "").split())
    quoted = [" ".join(row["text"][span["start"] : span["end"]].split()) for span in row["spans"]]
    lost = [f'The segment "{part}" is hallucinated.' for part in quoted if f'"{part}"' not in reason]
    return " ".join(filter(None, (YES, *lost, reason))) + END


def example_of(coder: Coder, row: Mapping[str, Any], max_tokens: int) -> Example | None:
    """A labelled text as a training example; None where it leaves no room for a prompt."""
    written = coder.encode([completion(row)])[0][0][:N_WRITTEN].astype(np.int64)
    ids = prompt(coder, row, max_tokens - len(written))
    if ids is None:
        return None
    labels = np.concatenate([np.full(len(ids), IGNORED, np.int64), written])
    return Example(row["target_id"], np.concatenate([ids, written]), labels)
