"""HaluEval (HELMA) as the stages know it: what each part of its protocol is done by, and what a plan assumes
of replies that have not come.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.llm.dry_run import ASSUMED
from truerate.llm.generation import generations
from truerate.llm.prompts import BESIDE
from truerate.llm.request import Request
from truerate.metrics.similarity import chrf
from truerate.tracks.halueval import context, general, labels, scores, steps
from truerate.tracks.halueval.recognition import AUTHORS, has_authors_words
from truerate.tracks.halueval.settings import Settings, Sizes
from truerate.tracks.protocol import Protocol


def setting_faults(config: Layout, board: str) -> Iterator[str]:
    """Yield a line where a board asks by the authors' words and has none for any of its tasks."""
    settings, folder = config.p.track(board), config.p.llm.prompts_dir
    if AUTHORS in settings.variants and not any(has_authors_words(task, folder) for task in settings.tasks):
        yield (
            f"{config.p.setting_name(board, 'variants')}: {AUTHORS!r} asks by the authors' words, and "
            f"llm.prompts_dir ({folder!r}) has none for {', '.join(settings.tasks)}; have "
            "`truerate prompts import` write them, or take it away"
        )


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """Return the reply that leads to the most further questions: a text that says what the prompt's last line
    asks for.

    Candidates and free answers differ from one another, a text is flagged, so that it is refined and judged
    again. The number of calls is therefore an upper bound, and exact once everything is stored.
    """
    cue = request.messages[-1]["content"].rstrip().rsplit("\n", 1)[-1]
    text = f"assumed {content_id(key)}"
    if cue == "#Reasoning#:":
        return f"{cue} {text}\n#Your Judgement#: Yes"
    if cue.startswith("#"):
        return f"{cue} {'Yes' if 'Judgement' in cue else text}"
    return "Understood." if cue.endswith("Understood.") else text


def assumed_selection(
    config: Layout, board: str, tables: Any, replies: dict[str, pl.DataFrame]
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Return the responses that a build would select, by chrF where all have come; else those of as many
    queries, whichever, for that changes no number of calls where nothing is stored. No encoder is loaded.
    """
    responses, similarity = replies.get("respond", generations([])), config.p.track(board).similarity
    if similarity == "chrf" and ASSUMED not in responses["finish_reason"]:
        compared = general.similarities(responses, measure=chrf)
    else:
        has_two = pl.when((pl.col("status") == "ok").sum() > 1).then(0.0)
        compared = responses.group_by("item_id", maintain_order=True).agg(similarity=has_two)
    return general.marked(responses, compared, n=config.p.size_of(board).general, seed=config.p.seed), {}


def template(settings: Settings, purpose: str, attributes: Mapping[str, Any]) -> str:
    """Return the template of a reply's prompt: one per task, of a sample by its scheme, of verdicts by variant."""
    named = {"contrast": "contrast", AUTHORS: f"{BESIDE}recognise"}.get(attributes["variant"], purpose)
    scheme = (attributes["scheme"] or "").replace("-", "_")
    return f"{scheme or named}_{attributes['task']}"


class HaluEval(Protocol):
    """Recognition of hallucinated texts: sampling, filtering, labelled answers, judging, refinement."""

    name = "halueval"
    settings, sizes = Settings, Sizes
    step_functions = {
        "sample": steps.sample,
        "filter": steps.filter,
        "respond": steps.respond,
        "select": steps.select,
        "recognise": steps.recognise,
        "judge_refined": steps.judge_refined,
    }
    contexts = staticmethod(context.contexts)
    exported = staticmethod(steps.exported)
    score = staticmethod(scores.score)
    label = staticmethod(labels.label)
    topics = staticmethod(scores.topics)
    assumed = staticmethod(assumed)
    faults = staticmethod(setting_faults)
    template = staticmethod(template)
    stand_ins = {"select": assumed_selection}
    # sizes whose first items stay the same whatever the size (`context.chosen_items`): a probe cuts them
    first_drawn = ("qa", "dialogue", "summarization", "general", "general_pool")


PROTOCOL = HaluEval()
