"""The state of one run, which the workers of all its endpoints share."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.redaction import Redactor
from truerate.llm.store.jobs import Job
from truerate.llm.store.responses import DeadLetter, Store, StoredReply
from truerate.llm.transport.verdict import Verdict, is_unknown

OnAnswer = Callable[[Job, StoredReply | DeadLetter, bool], None]


@dataclass
class Run:
    """One run of `ask`. `on_answer` takes a job, its answer, and whether another run paid; `served`,
    `without_logprobs`, `unknown_ends`, `cut_prompts` count what is reported at the end: replies by model
    named, those without requested log-probabilities, unknown finish reasons, prompts that were read in part
    (with an example).
    """

    config: Layout
    store: Store
    on_answer: OnAnswer
    error: TruerateError | None = None
    was_interrupted: bool = False
    redactor: Redactor = field(default_factory=lambda: Redactor(()))
    over: asyncio.Event = field(default_factory=asyncio.Event)
    served: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    without_logprobs: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown_ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    cut_prompts: Counter[str] = field(default_factory=Counter)
    cut_example: dict[str, str] = field(default_factory=dict)

    def note(self, job: Job, endpoint: str, verdict: Verdict) -> None:
        """Note the model that a kept reply names, and the log-probabilities that it lacks."""
        target = job.target
        self.served[target.alias, endpoint, target.model, verdict.served or target.model] += 1
        if target.params(job.request.params).get("logprobs") and b'"logprobs":' not in (verdict.extra or b""):
            self.without_logprobs[target.alias, endpoint] += 1

    def note_fault(self, job: Job, endpoint: str, verdict: Verdict) -> None:
        """Note what is told at the end of a reply that is not kept."""
        if verdict.finish and is_unknown(verdict.finish):
            self.unknown_ends[endpoint, verdict.finish] += 1
        if verdict.reason == "prompt_cut":
            self.cut_prompts[job.target.alias] += 1
            self.cut_example.setdefault(job.target.alias, verdict.detail.partition(":")[0])

    def fail(self, error: TruerateError) -> None:
        """End the run: nothing new is sent, what is under way is waited for and kept."""
        self.error = self.error or type(error)(self.redactor.text(str(error)))
        self.over.set()

    async def rest(self, seconds: float) -> None:
        """Wait, unless the run ends."""
        try:
            async with asyncio.timeout(seconds):
                await self.over.wait()
        except TimeoutError:
            pass
