"""Sampling of hallucinated texts (HELMA 2.1): one-pass and conversational instruction following.

One-pass gives the whole instruction at once. Conversational gives it over several turns, each answered by the
model for real; the answers stay in the dialogue, and items that share an instruction share its turns. A turn
whose answer the template itself holds, as in the authors' files, is not asked. The instruction has three
parts: the intention, the hallucination patterns with demonstrations, and the length rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from re import IGNORECASE

from truerate.core import text as texts
from truerate.core.keys import draw
from truerate.core.patterns import lazy
from truerate.llm import prompts
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.reading import cut
from truerate.llm.replies.texts.candidates import closed_word, restates, written
from truerate.llm.request import Reply, Request
from truerate.tracks.asking import Prompter
from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.context import NOUNS, Context
from truerate.tracks.halueval.settings import Settings

PURPOSE = "sample"
_PATTERN_LINE = lazy(r"\A[\s#*_`>\[]*Pattern\b[^\n]*\n", IGNORECASE)
# Why a candidate is not in the data set: no reply came, none could be read from it, the model declined, it
# acknowledged the task and wrote nothing, it has no words, it is the right text, it says the right text in a
# sentence and no other, or it was usable but the judge (or the seeded pick) preferred the other one.
REASONS = (
    "dead", "unparsed", "refusal", "no-answer", "empty", "same_as_right", "right-restated", "filtered_out",
)  # fmt: skip
NAMED = ("refusal", "no-answer", "empty")  # unread replies that are counted by their own reason
LENGTH_RULED = ("qa", "summarization")  # the tasks whose instruction limits the length (HELMA 2.1)


@dataclass(frozen=True)
class Draft:
    """A candidate before it is asked for: scheme, assigned pattern (None: the model chooses), messages, and
    whether these ask for a pattern at all; one that they do not is unknown.
    """

    context: Context
    scheme: str
    assigned: str | None
    messages: tuple[dict, ...]
    has_pattern: bool = True

    @cached_property
    def instruction(self) -> tuple | None:
        """What makes two conversational instructions the same: all earlier messages; None in one pass."""
        if self.scheme != "conversational":
            return None
        return tuple((message["role"], message["content"]) for message in self.messages[:-1])


@dataclass(frozen=True)
class Instruction:
    """A conversational instruction: the messages so far, the user turns still to come, and what stands for
    the replies after it if a turn was never answered: dead, under the key of that turn, so that who looks for
    its dead letter finds all that it cost.
    """

    messages: tuple[dict, ...]
    turns: tuple[dict, ...]
    failed: Reply | None = None

    @property
    def is_understood(self) -> bool:
        """Whether every turn was answered by the single word that it asked for."""
        replies = [message["content"] for message in self.messages if message["role"] == "assistant"]
        return all(text.strip().rstrip(".!").lower() == "understood" for text in replies)

    def up_to_question(self) -> "Instruction":
        """Return the instruction with all turns up to the next user turn without an answer of its own."""
        roles = [*(turn["role"] for turn in self.turns), None]
        asked = (k for k, pair in enumerate(pairwise(roles)) if pair in (("user", "user"), ("user", None)))
        k = next(asked, len(self.turns))
        return Instruction((*self.messages, *self.turns[:k]), self.turns[k:], self.failed)

    def answered(self, reply: Reply) -> "Instruction":
        """Return the instruction after the model's reply to its next turn; one that never came ends it."""
        answer = {"role": "assistant", "content": reply.text}
        reason = f"teaching turn: {reply.reason or reply.status}"
        failed = None if reply.status == "ok" else replace(reply, text="", reason=reason)
        after = Instruction((*self.messages, self.turns[0], answer), self.turns[1:], failed)
        return after.up_to_question()


Instructions = dict[tuple, Instruction]


def assigned_pattern(context: Context, scheme: str, *, mode: str, seed: int) -> str | None:
    """Return the pattern an item is to be wrong by, drawn by seed; None: the model chooses."""
    names = patterns.names(context.task)
    if mode == "model":
        return None
    return names[int(draw(seed, "pattern", context.item_id, scheme) * len(names))]


def drafts(contexts: Sequence[Context], prompter: Prompter) -> list[Draft]:
    """Return one draft per scheme and item."""
    settings, of_all = prompter.settings, []
    for scheme, context in product(settings.schemes, contexts):
        assigned = assigned_pattern(context, scheme, mode=settings.pattern, seed=prompter.seed)
        template = f"{scheme.replace('-', '_')}_{context.task}"
        has_pattern = prompts.reads(prompter.track, template, prompter.prompts_dir, "patterns", "assigned")
        assigned = assigned if has_pattern else None
        messages = prompter.messages(
            template,
            **context.values,
            right=context.right_answer,
            assigned=assigned,
            patterns=patterns.named(context.task, assigned),
            slack=settings.length_slack_words,
        )
        of_all.append(Draft(context, scheme, assigned, messages, has_pattern))
    return of_all


def instruct(
    of: Sequence[Draft], model: str, settings: Settings, ask: Callable[[list[Request]], list[Reply]]
) -> Instructions:
    """Return the distinct instructions of conversational drafts, each given turn by turn. A reply that ends
    at its limit of tokens is kept: what it says is not judged, and all items of the instruction would be lost
    with it.
    """
    states: Instructions = {}
    for draft in of:
        if draft.instruction is not None and draft.instruction not in states:
            states[draft.instruction] = Instruction((), draft.messages[:-1]).up_to_question()
    while unfinished := [name for name, state in states.items() if state.turns and state.failed is None]:
        turns = [(*states[name].messages, states[name].turns[0]) for name in unfinished]
        replies = ask([Request(model, turn, decoding(settings.sampling), keeps_cut=True) for turn in turns])
        states |= {
            name: states[name].answered(reply) for name, reply in zip(unfinished, replies, strict=True)
        }
    return states


def requests(
    of: Sequence[Draft], instructions: Instructions, model: str, settings: Settings
) -> list[Prompted]:
    """Return one request per draft; a conversational one continues its instruction."""
    asked = []
    for draft in of:
        messages = draft.messages
        attributes = {"scheme": draft.scheme, "task": draft.context.task, "pattern": draft.assigned}
        if draft.instruction is not None:
            instruction = instructions[draft.instruction]
            if all(message["role"] != "assistant" for message in messages):  # else the template answers
                attributes["understood"] = "yes" if instruction.is_understood else "no"
            messages = (*instruction.messages, draft.messages[-1])
        request = Request(model, messages, decoding(settings.sampling))
        asked.append(Prompted(request, draft.context.item_id, PURPOSE, attributes, may_decline=True))
    return asked


def unasked(of: Sequence[Draft], instructions: Instructions) -> list[Reply | None]:
    """Return per draft the dead reply where its instruction broke off, None where it can be asked."""
    return [None if draft.instruction is None else instructions[draft.instruction].failed for draft in of]


def collect(of: Sequence[Draft], asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Return Generation rows of candidates with their pattern and their words over the right text."""
    rows = zip(of, asked, replies, strict=True)
    return [generation(prompted, reply, read_candidate(reply.text, draft)) for draft, prompted, reply in rows]


def read_candidate(text: str, draft: Draft) -> Read:
    """Read a reply as a candidate, cleaned of what is no part of it (`cut` says of what). An assigned pattern
    needs no heading; a chosen one is read from its line, else it is `unknown`, as it is where none was asked
    for. A refusal abstains. `rejected`: why a text that was read cannot be a hallucinated one.
    """
    context, is_assigned = draft.context, draft.assigned is not None or not draft.has_pattern
    attributes: dict[str, str | None] = {} if draft.has_pattern else {"pattern": patterns.UNKNOWN}
    if not is_assigned:
        attributes["pattern"] = closed_word(text, "Pattern", patterns.names(context.task)) or patterns.UNKNOWN
    # the line of the pattern is asked for, so that it is no preamble that was cut
    body = text if is_assigned else _PATTERN_LINE.sub("", text)
    reading = written(body, NOUNS[context.task], needs_heading=not is_assigned)
    attributes |= cut(reading, *(() if is_assigned else ("heading",)))
    if reading.value is None:
        status = "abstained" if reading.reason == "refusal" else "unparsed"
        return Read(text, status, reading.reason, attributes)
    attributes["words_over"] = str(words_over(reading.value, context.right_answer or ""))
    if reason := candidate_reason(reading.value, context.right_answer, context.question):
        attributes["rejected"] = reason
    return Read(reading.value, attributes=attributes)


def candidate_reason(text: str, right: str | None, question: str = "") -> str | None:
    """Return why a candidate cannot be a hallucinated text, None if it can.

    `empty`: no words; `same_as_right`: equal to the right text but for case, articles and punctuation;
    `right-restated`: the right text in a frame (`replies.texts.candidates.restates`) with no other answer beside it.
    """
    plain = texts.normalise(text)
    if not plain:
        return "empty"
    if right is None:
        return None
    if plain == texts.normalise(right):
        return "same_as_right"
    return "right-restated" if restates(text, right, question) else None


def words_over(text: str, right: str) -> int:
    """Return how many words (`text.words`) a candidate is longer than the right text, or shorter (< 0)."""
    return len(texts.words(text)) - len(texts.words(right))
