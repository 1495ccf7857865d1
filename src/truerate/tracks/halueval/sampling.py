"""Sampling of hallucinated texts (HELMA 2.1): one-pass and conversational instruction following.

One-pass gives the whole instruction at once. Conversational teaches it over several turns, each answered by
the model for real; the answers stay in the dialogue, and items that share a lesson share its turns. The
instruction has three parts: the intention, the hallucination patterns with demonstrations, and the length
rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from truerate.core.keys import draw
from truerate.llm import Reply, Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.candidates import closed_word, written
from truerate.llm.replies.reading import cut
from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.candidates import candidate_reason, words_over
from truerate.tracks.halueval.context import Context
from truerate.tracks.halueval.filtering import NOUNS
from truerate.tracks.halueval.settings import Settings

PURPOSE = "sample"


@dataclass(frozen=True)
class Draft:
    """One item's candidate before it is asked for: its scheme, the pattern assigned to it (None: the model
    chooses) and its messages.
    """

    context: Context
    scheme: str
    assigned: str | None
    messages: tuple[dict, ...]


@dataclass(frozen=True)
class Lesson:
    """A conversational instruction: the messages so far, the user turns still to come, and what stands for
    the replies after it if a turn was never answered: dead, under the key of that turn, so that who looks for
    its dead letter finds all that it cost.
    """

    said: tuple[dict, ...]
    to_come: tuple[dict, ...]
    failed: Reply | None = None


def assigned_pattern(context: Context, scheme: str, *, mode: str, seed: int) -> str | None:
    """The pattern an item is to be wrong by: drawn by seed, item and scheme (`assigned`), or None where the
    model chooses (`model`).
    """
    if mode == "model":
        return None
    names = patterns.names(context.task)
    return names[int(draw(seed, "pattern", context.item_id, scheme) * len(names))]


def drafts(
    found: Sequence[Context], settings: Settings, *, seed: int, prompts_dir: str | None
) -> list[Draft]:
    """One draft per item and scheme."""
    made = []
    for scheme in settings.schemes:
        for context in found:
            assigned = assigned_pattern(context, scheme, mode=settings.pattern, seed=seed)
            messages = _messages(
                context, scheme, assigned, slack=settings.length_slack_words, prompts_dir=prompts_dir
            )
            made.append(Draft(context, scheme, assigned, messages))
    return made


def _messages(
    context: Context, scheme: str, assigned: str | None, *, slack: int, prompts_dir: str | None
) -> tuple[dict, ...]:
    template = f"{scheme.replace('-', '_')}_{context.task}"
    values = {
        "knowledge": context.knowledge,
        "history": context.history,
        "question": context.question,
        "right": context.right_answer,
        "assigned": assigned,
        "patterns": patterns.named(context.task, assigned),
        "slack": slack,
    }
    return tuple(prompts.render("halueval", template, prompts_dir, **values))


# ---- the conversational scheme -----------------------------------------------------------------------------


def curriculum(draft: Draft) -> tuple[dict, ...]:
    """What is taught before the item itself: all messages but the last."""
    return draft.messages[:-1]


def lessons(made: Sequence[Draft]) -> dict[tuple, Lesson]:
    """The distinct lessons of conversational drafts, before their first turn, by what names them
    (`lesson_name`).
    """
    found = {}
    for draft in made:
        if draft.scheme == "conversational":
            taught = curriculum(draft)
            first = next((i for i, message in enumerate(taught) if message["role"] == "user"), len(taught))
            found[lesson_name(draft)] = Lesson(said=taught[:first], to_come=taught[first:])
    return found


def lesson_name(draft: Draft) -> tuple:
    """What makes two lessons the same: every message of them."""
    return tuple((message["role"], message["content"]) for message in curriculum(draft))


def open_lessons(found: dict[tuple, Lesson]) -> list[tuple]:
    """The names of lessons that have a turn to come and have not failed."""
    return [name for name, lesson in found.items() if lesson.to_come and lesson.failed is None]


def teaching_requests(found: dict[tuple, Lesson], model: str, settings: Settings) -> list[Request]:
    """The next teaching turn of every open lesson, in the order of `open_lessons`. A reply that ends at its
    limit of tokens is kept: what it says is not judged, and all items of the lesson would be lost with it.
    """
    return [
        Request(
            model, (*found[name].said, found[name].to_come[0]), decoding(settings.sampling), keeps_cut=True
        )
        for name in open_lessons(found)
    ]


def taught(found: dict[tuple, Lesson], replies: Sequence[Reply]) -> dict[tuple, Lesson]:
    """The lessons after the model's replies to their next turns; a reply that never came ends its lesson."""
    after = dict(found)
    for name, reply in zip(open_lessons(found), replies, strict=True):
        lesson = found[name]
        said = (*lesson.said, lesson.to_come[0], {"role": "assistant", "content": reply.text})
        failed = (
            None
            if reply.status == "ok"
            else replace(reply, text="", reason=f"teaching turn: {reply.reason or reply.status}")
        )
        after[name] = replace(lesson, said=said, to_come=lesson.to_come[1:], failed=failed)
    return after


# ---- requests and replies ----------------------------------------------------------------------------------


def requests(
    made: Sequence[Draft], found: dict[tuple, Lesson], model: str, settings: Settings
) -> list[Prompted]:
    """One request per draft; a conversational one continues its lesson."""
    asked = []
    for draft in made:
        messages, facts = (
            draft.messages,
            {"scheme": draft.scheme, "task": draft.context.task, "pattern": draft.assigned},
        )
        if draft.scheme == "conversational":
            said = found[lesson_name(draft)].said
            messages, facts = (
                (*said, draft.messages[-1]),
                facts | {"understood": "yes" if understood(said) else "no"},
            )
        asked.append(
            Prompted(
                Request(model, tuple(messages), decoding(settings.sampling)),
                draft.context.item_id,
                PURPOSE,
                facts,
                may_decline=True,
            )
        )
    return asked


def understood(said: Sequence[dict]) -> bool:
    """Whether every teaching turn was answered by the single word that it asked for."""
    return all(
        message["content"].strip().rstrip(".!").lower() == "understood"
        for message in said
        if message["role"] == "assistant"
    )


def unasked(made: Sequence[Draft], found: dict[tuple, Lesson]) -> list[Reply | None]:
    """Per draft: the dead reply of one that cannot be asked because its lesson broke off, None where it can."""
    return [found[lesson_name(draft)].failed if draft.scheme == "conversational" else None for draft in made]


def collect(made: Sequence[Draft], asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Generation rows of candidates: the text after its heading, the pattern named by the model, and the
    words over the right text.
    """
    return [
        generation(prompted, reply, read_candidate(reply.text, draft))
        for draft, prompted, reply in zip(made, asked, replies, strict=True)
    ]


def read_candidate(text: str, draft: Draft) -> Read:
    """A reply as a candidate, cleaned of what is no part of it (`cut` says of what). An assigned pattern needs
    no heading; a chosen one is read from its line, else it is `unknown`. A refusal abstains. `rejected`: why a
    text that was read cannot be a hallucinated one.
    """
    context, is_assigned = draft.context, draft.assigned is not None
    known = {} if is_assigned else {"pattern": _named_pattern(text, context.task)}
    found = written(text, NOUNS[context.task], needs_heading=not is_assigned)
    known |= cut(found, *(() if is_assigned else ("heading",)))
    if found.value is None:
        return Read(text, "abstained" if found.reason == "refusal" else "unparsed", found.reason, known)
    known |= {"words_over": str(words_over(found.value, context.right_answer))}
    if reason := candidate_reason(found.value, context.right_answer, context.question):
        known["rejected"] = reason
    return Read(found.value, attributes=known)


def _named_pattern(text: str, task: str) -> str:
    """The pattern that a reply names after `#Pattern#:`, by the task's names; `unknown` where it names none
    of them.
    """
    return closed_word(text, "Pattern", patterns.names(task)) or patterns.UNKNOWN
