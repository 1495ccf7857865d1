"""Published token classifiers (LettuceDetect and its kin): prompt and answer as a pair."""

from collections.abc import Sequence

import numpy as np
import torch

from truerate.detectors.published.adapters import TEMPLATES, filled
from truerate.detectors.published.chunks import SPARE, room_beside, windows
from truerate.detectors.published.networks import Network
from truerate.detectors.published.readout import Verdict, token_p, verdict_of_tokens
from truerate.detectors.published.texts import NO_EVIDENCE, TOO_LONG, Text
from truerate.detectors.tokens.groups import in_room
from truerate.detectors.tokens.span_probabilities import trimmed


class Marks(Network):
    """A network that marks tokens, answer by answer: padding in a batch moves its numbers."""

    def prompt(self, passages: Sequence[str], question: str) -> str:
        """The exact string that stands before an answer."""
        adapter = self.adapter
        template = adapter.template or ""
        if not question and adapter.without_question is not None:
            template = adapter.without_question
        listed = list(passages)
        if adapter.passage:
            listed = [filled(adapter.passage, n=n, document=text) for n, text in enumerate(passages, start=1)]
        document = ("\n" if adapter.passage else "\n\n").join(listed)
        return filled(template, document=document, question=question, n=len(passages))

    def prompts(self, text: Text) -> list[str] | None:
        """The prompts that hold all passages of a document, each as many as fit beside the answer; one that
        is too long alone is read in overlapping windows. None where the answer leaves no room.
        """
        empty = self.prompt([""], text.question)
        taken = len(self.tokens.encoded(empty, text.text)["input_ids"]) + SPARE
        room = room_beside(self.adapter.window or 0, taken)
        if room is None:
            return None
        if self.adapter.template == TEMPLATES["question-alone"]:
            return [empty]
        per_passage = self._length(filled(self.adapter.passage or "", n=10)) + SPARE
        pieces = [
            piece
            for passage in text.passages
            for piece in windows(passage, max(room - per_passage, 1), self.tokens.offsets)
        ]
        groups = in_room(pieces, room, lambda piece: self._length(piece) + per_passage)
        return [self.prompt(group, text.question) for group in groups]

    def _length(self, text: str) -> int:
        return len(self.tokens.offsets(text))

    def judge(self, texts: Sequence[Text]) -> list[Verdict]:
        """Return what it says of each text, in their order."""
        return [self.reading(text) for text in texts]

    def reading(self, text: Text) -> Verdict:
        """Spans, verdict and p of one text."""
        prompts = self.prompts(text)
        if not prompts:
            return Verdict(None, None, [], 0, TOO_LONG if prompts is None else NO_EVIDENCE)
        read = [self._logits(prompt, text.text) for prompt in prompts]
        offsets, threshold = trimmed(text.text, read[0][1]), self.adapter.threshold
        p = token_p(self.adapter, np.stack([logits for logits, _ in read])) if len(offsets) else np.zeros(0)
        return verdict_of_tokens(text.text, offsets, p, len(prompts), threshold=threshold)

    def _logits(self, prompt: str, answer: str) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """The logits (tokens, 2) of the answer's own tokens, and their borders in it. The separator behind
        the answer, which the authors' code scores as a token more, is none of them.
        """
        encoded = self.tokens.encoded(prompt, answer, return_offsets_mapping=True, return_tensors="pt")
        self.refuse_long(encoded["input_ids"].shape[1])
        places = [index for index, part in enumerate(encoded.sequence_ids(0)) if part == 1]
        borders = encoded.pop("offset_mapping")[0].tolist()
        with torch.inference_mode():
            logits = self.model(**encoded.to(self.model.device)).logits[0]
        return logits[places].float().cpu().numpy(), [(a, b) for a, b in (borders[index] for index in places)]
