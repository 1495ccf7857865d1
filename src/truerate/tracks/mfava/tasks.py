"""What people are given to label: inserted passages and replies in the wild, and who gets which (mFAVA
section 3.1, appendix A.2).

Labels are dear. Of passages many go to all annotators, whose agreement is measured there. A reply tells most of
a model's rate where nobody else has labelled it: one label each of five replies says more than five of one.
"""

from collections.abc import Sequence

from truerate.core.keys import draw
from truerate.llm.generation import facts
from truerate.tracks.mfava.context import Context
from truerate.tracks.mfava.settings import Labelling

INSERTED, NATURAL = "inserted", "natural"


def annotation_tasks(
    samples: Sequence[dict],
    replies: Sequence[dict],
    found: dict[str, Context],
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
    made = [
        _task(row["sample_id"], INSERTED, row["text"], found[row["item_id"]], _spans(row)) for row in samples
    ]
    made += [
        _task(row["generation_id"], NATURAL, row["text"], found[row["item_id"]], [])
        for row in natural(replies, n_natural, seed)
    ]
    return sorted(_dealt(made, rules, seed), key=lambda task: task["task_id"])


def natural(replies: Sequence[dict], n: int, seed: int) -> list[dict]:
    """`n` of the replies per language, as evenly over the models as they come: each model's are drawn in a
    seeded order, in turns.
    """
    by_lang: dict[str, list[tuple]] = {}
    ranked: dict[tuple[str, str], int] = {}
    for row in sorted(
        replies, key=lambda row: (draw(seed, "natural", row["generation_id"]), row["generation_id"])
    ):
        lang, model = facts(row)["lang"], row["model"]
        turn = ranked[lang, model] = ranked.get((lang, model), -1) + 1
        by_lang.setdefault(lang, []).append(
            (turn, draw(seed, "turn", lang, model, turn), row["generation_id"], row)
        )
    return [one[-1] for drawn in by_lang.values() for one in sorted(drawn, key=lambda one: one[:3])[:n]]


def _task(task_id: str, kind: str, text: str, context: Context, spans: list[dict]) -> dict:
    return {
        "task_id": task_id,
        "lang": context.lang,
        "kind": kind,
        "text": text,
        "reference": context.knowledge,
        "question": context.question,
        "subject": context.subject,
        "spans": spans,
    }


def _spans(row: dict) -> list[dict]:
    return [{name: span[name] for name in ("start", "end", "type")} for span in row["spans"]]


def _dealt(made: Sequence[dict], rules: Labelling, seed: int) -> list[dict]:
    """The tasks with `annotators` and `rate_plausibility`.

    In each language and kind the first of a seeded order (`n_shared`) go to all annotators, the others to one
    each in turn.
    """
    names = [f"annotator-{number}" for number in range(1, rules.n_annotators + 1)]
    groups: dict[tuple[str, str], list[dict]] = {}
    for task in sorted(made, key=lambda task: (draw(seed, "deal", task["task_id"]), task["task_id"])):
        groups.setdefault((task["lang"], task["kind"]), []).append(task)
    dealt = []
    for (_, kind), group in groups.items():
        shared = n_shared(kind, len(group), rules)
        for place, task in enumerate(group):
            given = names if place < shared else [names[(place - shared) % len(names)]]
            dealt.append(
                {
                    **task,
                    "annotators": given,
                    "rate_plausibility": kind == INSERTED and place < rules.n_plausibility,
                }
            )
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
