"""What people are given to label: inserted passages and replies in the wild, and who gets which (mFAVA
section 3.1, appendix A.2).

Labels are dear. Of passages many go to all annotators, whose agreement is measured there. A reply tells most of
a model's rate where nobody else has labelled it: one label each of five replies says more than five of one.
"""

from collections.abc import Mapping, Sequence

from truerate.annotation.tasks import annotators, in_turns
from truerate.core.keys import draw
from truerate.llm.generation import facts
from truerate.tracks.mfava.context import Context
from truerate.tracks.mfava.settings import Labelling

INSERTED, NATURAL = "inserted", "natural"


def annotation_tasks(
    samples: Sequence[dict],
    replies: Sequence[dict],
    contexts: Mapping[str, Context],
    rules: Labelling,
    *,
    n_natural: int,
    seed: int,
) -> list[dict]:
    """The annotation tasks, sorted by `task_id`: every silver sample, and `n_natural` of the replies of each
    language.

    Each names the annotators who get it. Silver spans stand in inserted ones alone: they are shown to no
    annotator, but one is screened by them. `rate_plausibility`: the reader also rates how likely the passage
    is to fool someone.
    """
    inserted = [
        _task(row["sample_id"], INSERTED, row["text"], contexts[row["item_id"]], row["spans"])
        for row in samples
    ]
    wild = [
        _task(row["generation_id"], NATURAL, row["text"], contexts[row["item_id"]], ())
        for row in natural(replies, n_natural, seed)
    ]
    return sorted(_dealt([*inserted, *wild], rules, seed), key=lambda task: task["task_id"])


def natural(replies: Sequence[dict], n: int, seed: int) -> list[dict]:
    """`n` of the replies per language, as evenly over the models as they come: each model's are drawn in a
    seeded order, in turns.
    """
    by_lang: dict[str, list[dict]] = {}
    for row in replies:
        by_lang.setdefault(facts(row)["lang"], []).append(row)
    drawn = []
    for lang, rows in by_lang.items():
        drawn += in_turns(
            rows,
            owner=lambda row: row["model"],
            order=lambda row: (draw(seed, "natural", row["generation_id"]), row["generation_id"]),
            turn_order=lambda model, turn, lang=lang: draw(seed, "turn", lang, model, turn),
        )[:n]
    return drawn


def _task(task_id: str, kind: str, text: str, context: Context, spans: Sequence[dict]) -> dict:
    return {
        "task_id": task_id,
        "lang": context.lang,
        "kind": kind,
        "text": text,
        "reference": context.knowledge,
        "question": context.question,
        "subject": context.subject,
        "spans": [{name: span[name] for name in ("start", "end", "type")} for span in spans],
    }


def _dealt(tasks: Sequence[dict], rules: Labelling, seed: int) -> list[dict]:
    """The tasks with `annotators` and `rate_plausibility`.

    In each language and kind the first of a seeded order (`n_shared`) go to all annotators, the others to one
    each in turn.
    """
    names = annotators(rules.n_annotators)
    groups: dict[tuple[str, str], list[dict]] = {}
    for task in sorted(tasks, key=lambda task: (draw(seed, "deal", task["task_id"]), task["task_id"])):
        groups.setdefault((task["lang"], task["kind"]), []).append(task)
    dealt = []
    for (_, kind), group in groups.items():
        shared = n_shared(kind, len(group), rules)
        for index, task in enumerate(group):
            task["annotators"] = names if index < shared else [names[(index - shared) % len(names)]]
            task["rate_plausibility"] = kind == INSERTED and index < rules.n_plausibility
            dealt.append(task)
    return dealt


def n_shared(kind: str, n: int, rules: Labelling) -> int:
    """How many of `n` texts of one kind go to every annotator: of passages `shared_rate` of the texts; of
    replies so many that they take `shared_natural_labels` of the labels.

    m shared ones take m · A of m · A + n − m labels, A annotators: m = s · n / (A − s · (A − 1)).
    """
    if kind == INSERTED:
        return round(rules.shared_rate * n)
    share, annotators = rules.shared_natural_labels, rules.n_annotators
    return round(share * n / (annotators - share * (annotators - 1)))


def n_labels(kind: str, n: int, rules: Labelling) -> int:
    """How many labels people make of `n` texts of one kind."""
    return n + (rules.n_annotators - 1) * n_shared(kind, n, rules)
