"""A judge's decoder, loaded by transformers: what it writes after a question, and its first word's shares."""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from truerate.config import Backbone, Published
from truerate.core.errors import TruerateError
from truerate.core.pretrained import quiet
from truerate.detectors.published.adapters import Adapter
from truerate.detectors.published.judges import Answered, Question, judge
from truerate.detectors.published.networks import Network
from truerate.detectors.published.readout import Verdict
from truerate.detectors.published.texts import Text
from truerate.detectors.tokens.backbones import quantised
from truerate.detectors.training import processes

N_SEEN = 5  # likeliest first words among which yes and no are looked for, as Bespoke-MiniCheck's code does


class Writer(Network):
    """A decoder by Hub id or folder; on a GPU in bf16, or in 4 bits. Raises TruerateError, one line, where it
    cannot be loaded, has no chat template where it needs one, or sees fewer tokens than the adapter's window.
    """

    kind = "judge"

    def __init__(self, adapter: Adapter, how: Published):
        settings: dict[str, Any] = {"weights": how.weights, "quantise": how.quantise}
        # refused before anything is fetched
        self._bits = quantised(Backbone.model_construct(**settings), processes.device())
        super().__init__(adapter, how)

    def load(self) -> Any:
        """Load the decoder. Raises TruerateError where its tokenizer lacks a needed chat template."""
        if self.adapter.layout != "plain" and not self.tokens.tokenizer.chat_template:
            raise TruerateError(
                f"{self.name}: its tokenizer has no chat template, which adapter {self.adapter.name!r} needs"
            )
        half = str(processes.device()) == "cuda"
        return self.load_as(
            AutoModelForCausalLM, dtype=torch.bfloat16 if half else torch.float32, **self._bits
        )

    def judge(self, texts: Sequence[Text]) -> list[Verdict]:
        """Return what it says of each text, in their order."""
        return judge(self.adapter, texts, self.ask, offsets=self.tokens.offsets)

    def ask(self, questions: Sequence[Question]) -> list[Answered]:
        """The replies, one after the other, each greedily."""
        return [self._answered(question) for question in questions]

    def ids(self, question: Question) -> torch.Tensor:
        """A question in tokens, (1, tokens): its text, or its messages by the chat template."""
        if question.text is not None:
            encoded = self.tokens.encoded(question.text, return_tensors="pt")["input_ids"]
        else:
            with quiet():
                encoded = self.tokens.tokenizer.apply_chat_template(
                    list(question.messages),
                    add_generation_prompt=True,
                    return_tensors="pt",
                    return_dict=True,
                    **question.template_values,
                )["input_ids"]
        ids: torch.Tensor = encoded.to(self.model.device)
        return ids

    def _answered(self, question: Question) -> Answered:
        ids = self.ids(question)
        end = self.tokens.tokenizer.eos_token_id
        with torch.inference_mode(), quiet():
            whole = self.model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=question.n_written,
                do_sample=False,
                pad_token_id=self.tokens.tokenizer.pad_token_id or end or 0,
                return_dict_in_generate=True,
                output_logits=True,
            )
        written = whole.sequences[0, ids.shape[1] :].tolist()
        is_cut = len(written) >= question.n_written and (not written or written[-1] != end)
        text = self.tokens.tokenizer.decode(written, skip_special_tokens=True)
        return Answered(str(text).strip(), is_cut, self._yes_no(whole.logits[0][0].float()))

    def _yes_no(self, logits: torch.Tensor) -> tuple[float, float]:
        """The shares of yes and of no among the N_SEEN likeliest first words, logits (vocabulary,)."""
        shares, ids = logits.softmax(dim=-1).topk(min(N_SEEN, len(logits)))
        words = [self.tokens.tokenizer.decode([token]).strip().strip(".").lower() for token in ids.tolist()]
        each = list(zip(shares.tolist(), words, strict=True))
        yes, no = (sum(share for share, word in each if word == wanted) for wanted in ("yes", "no"))
        return float(yes), float(no)
