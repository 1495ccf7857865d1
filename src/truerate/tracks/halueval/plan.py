"""What a plan assumes of a reply that has not come: one that leads to the most further questions.

A candidate is usable and unlike the other one, a text is flagged, so that it is refined and judged again. The
number of calls is therefore an upper bound, and exact once everything is stored.
"""

from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.llm import Request
from truerate.llm.dry_run import ASSUMED
from truerate.llm.generation import generations
from truerate.metrics.similarity import chrf
from truerate.tracks.halueval import general

Given = tuple[pl.DataFrame, dict[str, pl.DataFrame]]  # replies, and tables beside them
# Sizes whose first items stay the same whatever the size (`context.chosen_items`): a probe cuts them.
FIRST_DRAWN = ("qa", "dialogue", "summarization", "general", "general_pool")


def select(at: Layout, board: str, tables: Any, replies: dict[str, pl.DataFrame]) -> Given:
    """The responses that a build would select, by chrF where all have come; else those of as many queries,
    whichever, for that changes no number of calls where nothing is stored. No encoder is loaded.
    """
    responses, similarity = replies.get("respond", generations([])), at.p.track(board).similarity
    if similarity == "chrf" and ASSUMED not in responses["finish_reason"]:
        compared = general.similarities(responses, measure=chrf)
    else:
        n_ok = (pl.col("status") == "ok").sum()
        compared = responses.group_by("item_id", maintain_order=True).agg(
            similarity=pl.when(n_ok > 1).then(0.0)
        )
    return general.marked(responses, compared, n=at.p.size_of(board).general, seed=at.p.seed), {}


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """A text that says what the prompt's last line asks for; candidates and free answers differ from one
    another.
    """
    cue = request.messages[-1]["content"].rstrip().rsplit("\n", 1)[-1]
    text = f"assumed {content_id(key)}"
    if cue == "#Reasoning#:":
        return f"{cue} {text}\n#Your Judgement#: Yes"
    if cue.startswith("#"):
        return f"{cue} {'Yes' if 'Judgement' in cue else text}"
    return "Understood." if cue.endswith("Understood.") else text
