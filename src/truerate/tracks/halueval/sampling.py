"""Sampling of hallucinated texts (HELMA 2.1): one-pass and conversational instruction following.

One-pass gives the whole instruction at once. Conversational gives it over several turns, each answered by the model for
real; the answers stay in the dialogue, and items that share a lesson share its turns. The instruction has three parts:
the intention, the hallucination patterns with demonstrations, and the length rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from truerate.core import text as texts
from truerate.core.keys import draw
from truerate.llm import Reply, Request
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.candidates import closed_word, written
from truerate.llm.replies.reading import cut
from truerate.llm.replies.restating import restates
from truerate.tracks.asking import Prompter
from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.context import NOUNS, Context
from truerate.tracks.halueval.settings import Settings

PURPOSE = "sample"
# Why a candidate is not in the data set: no reply came, none could be read from it, the model declined, it acknowledged
# the task and wrote nothing, it has no words, it is the right text, it says the right text in a sentence and no other, or
# it was usable but the judge (or the seeded pick) preferred the other one.
REASONS = (
    "dead", "unparsed", "refusal", "no-answer", "empty", "same_as_right", "right-restated", "filtered_out",
)  # fmt: skip
NAMED = ("refusal", "no-answer", "empty")  # unread replies that are counted by their own reason
LENGTH_RULED = ("qa", "summarization")  # the tasks whose instruction limits the length (HELMA 2.1)


@dataclass(frozen=True)
class Draft:
    """One item's candidate before it is asked for: its scheme, the pattern assigned to it (None: the model chooses) and
    its messages.
    """

    context: Context
    scheme: str
    assigned: str | None
    messages: tuple[dict, ...]

    @cached_property
    def lesson(self) -> tuple | None:
        """What makes two conversational instructions the same: every message before the item's own; None in one pass."""
        if self.scheme != "conversational":
            return None
        return tuple((message["role"], message["content"]) for message in self.messages[:-1])


@dataclass(frozen=True)
class Lesson:
    """A conversational instruction: the messages so far, the user turns still to come, and what stands for the replies
    after it if a turn was never answered: dead, under the key of that turn, so that who looks for its dead letter finds
    all that it cost.
    """

    messages: tuple[dict, ...]
    turns: tuple[dict, ...]
    failed: Reply | None = None

    @property
    def is_understood(self) -> bool:
        """Whether every turn was answered by the single word that it asked for."""
        replies = [message["content"] for message in self.messages if message["role"] == "assistant"]
        return all(text.strip().rstrip(".!").lower() == "understood" for text in replies)

    def answered(self, reply: Reply) -> "Lesson":
        """Return the lesson after the model's reply to its next turn; a reply that never came ends it."""
        answer = {"role": "assistant", "content": reply.text}
        why = f"teaching turn: {reply.reason or reply.status}"
        failed = None if reply.status == "ok" else replace(reply, text="", reason=why)
        return Lesson((*self.messages, self.turns[0], answer), self.turns[1:], failed)


Lessons = dict[tuple, Lesson]


def assigned_pattern(context: Context, scheme: str, *, mode: str, seed: int) -> str | None:
    """Return the pattern an item is to be wrong by: drawn by seed, item and scheme (`assigned`), or None where the model
    chooses (`model`).
    """
    if mode == "model":
        return None
    names = patterns.names(context.task)
    return names[int(draw(seed, "pattern", context.item_id, scheme) * len(names))]


def drafts(contexts: Sequence[Context], prompter: Prompter) -> list[Draft]:
    """Return one draft per scheme and item."""
    settings = prompter.settings
    made = []
    for scheme in settings.schemes:
        for context in contexts:
            assigned = assigned_pattern(context, scheme, mode=settings.pattern, seed=prompter.seed)
            messages = prompter.messages(
                f"{scheme.replace('-', '_')}_{context.task}",
                **context.values,
                right=context.right_answer,
                assigned=assigned,
                patterns=patterns.named(context.task, assigned),
                slack=settings.length_slack_words,
            )
            made.append(Draft(context, scheme, assigned, messages))
    return made


def teach(
    of: Sequence[Draft], model: str, settings: Settings, ask: Callable[[list[Request]], list[Reply]]
) -> Lessons:
    """Return the distinct lessons of conversational drafts, each taught turn by turn. A reply that ends at its limit of
    tokens is kept: what it says is not judged, and all items of the lesson would be lost with it.
    """
    lessons: Lessons = {}
    for draft in of:
        if draft.lesson is not None and draft.lesson not in lessons:
            before = draft.messages[:-1]
            first = next((k for k, message in enumerate(before) if message["role"] == "user"), len(before))
            lessons[draft.lesson] = Lesson(before[:first], before[first:])
    while to_teach := [name for name, lesson in lessons.items() if lesson.turns and lesson.failed is None]:
        turns = [(*lessons[name].messages, lessons[name].turns[0]) for name in to_teach]
        replies = ask([Request(model, turn, decoding(settings.sampling), keeps_cut=True) for turn in turns])
        lessons |= {
            name: lessons[name].answered(reply) for name, reply in zip(to_teach, replies, strict=True)
        }
    return lessons


def requests(of: Sequence[Draft], lessons: Lessons, model: str, settings: Settings) -> list[Prompted]:
    """Return one request per draft; a conversational one continues its lesson."""
    asked = []
    for draft in of:
        messages = draft.messages
        known = {"scheme": draft.scheme, "task": draft.context.task, "pattern": draft.assigned}
        if draft.lesson is not None:
            lesson = lessons[draft.lesson]
            messages = (*lesson.messages, draft.messages[-1])
            known["understood"] = "yes" if lesson.is_understood else "no"
        request = Request(model, messages, decoding(settings.sampling))
        asked.append(Prompted(request, draft.context.item_id, PURPOSE, known, may_decline=True))
    return asked


def unasked(of: Sequence[Draft], lessons: Lessons) -> list[Reply | None]:
    """Return per draft the dead reply of one that cannot be asked because its lesson broke off, None where it can."""
    return [None if draft.lesson is None else lessons[draft.lesson].failed for draft in of]


def collect(of: Sequence[Draft], asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Return Generation rows of candidates: the text after its heading, the pattern named by the model, and the words
    over the right text.
    """
    return [
        generation(prompted, reply, read_candidate(reply.text, draft))
        for draft, prompted, reply in zip(of, asked, replies, strict=True)
    ]


def read_candidate(text: str, draft: Draft) -> Read:
    """Read a reply as a candidate, cleaned of what is no part of it (`cut` says of what). An assigned pattern needs no
    heading; a chosen one is read from its line, else it is `unknown`. A refusal abstains. `rejected`: why a text that was
    read cannot be a hallucinated one.
    """
    context, is_assigned = draft.context, draft.assigned is not None
    known: dict[str, str | None] = {}
    if not is_assigned:
        known["pattern"] = closed_word(text, "Pattern", patterns.names(context.task)) or patterns.UNKNOWN
    reading = written(text, NOUNS[context.task], needs_heading=not is_assigned)
    known |= cut(reading, *(() if is_assigned else ("heading",)))
    if reading.value is None:
        return Read(text, "abstained" if reading.reason == "refusal" else "unparsed", reading.reason, known)
    known |= {"words_over": str(words_over(reading.value, context.right_answer or ""))}
    if reason := candidate_reason(reading.value, context.right_answer, context.question):
        known["rejected"] = reason
    return Read(reading.value, attributes=known)


def candidate_reason(text: str, right: str | None, question: str = "") -> str | None:
    """Return why a candidate cannot be a hallucinated text, None if it can.

    `empty`: no words; `same_as_right`: equal to the right text but for case, articles and punctuation; `right-restated`:
    the right text in a frame (`replies.restating.restates`) with no other answer beside it.
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
    """Return by how many words (`text.words`) a candidate is longer than the right text; negative if it is shorter."""
    return len(texts.words(text)) - len(texts.words(right))
