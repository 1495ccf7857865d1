"""What was cut from replies, and rewritings that changed nothing, as shares."""

import polars as pl

from truerate.core.schemas import Score, validate
from truerate.llm.generation import generations
from truerate.tracks.halueval import refinement, sampling
from truerate.tracks.halueval.dataset_scores import score_cleaned
from truerate.tracks.halueval.recognition import Target

from .builders import context, ok, prompter, settings
from .test_dataset import WRITER


def test_cuts_and_unchanged_texts_are_shares():
    first, second = context(), context(item_id="i2")
    drafts = sampling.drafts([first, second], prompter(schemes=("one-pass",)))
    asked = sampling.requests(drafts, {}, "gen", settings())
    rows = sampling.collect(drafts, asked, [ok("Answer: “Porto”"), ok("Faro")])
    targets = [Target("s1", first.item_id, "Porto"), Target("s2", "i2", "Faro")]
    contexts_by_id = {first.item_id: first, "i2": second}
    requests = refinement.requests(
        targets, contexts_by_id, "gen", prompter(), knowledge={name: "K" for name in contexts_by_id}
    )
    rows += refinement.collect(requests, [ok("Porto."), ok("Lisbon")], targets)
    items = pl.DataFrame({"item_id": list(contexts_by_id), "group_id": list(contexts_by_id)})
    scores = score_cleaned(generations(rows), items, WRITER)
    validate(Score, scores, where="scores")
    values = {
        (row["metric"], *(pair["value"] for pair in row["slice"])): row["value"]
        for row in scores.iter_rows(named=True)
    }
    # one of two candidates came with a heading and quotation marks; one of two rewritings is the text it was
    assert values == {
        ("cleaned_rate", "one-pass", "qa"): 1 / 2,
        ("cleaned_rate", "heading", "one-pass", "qa"): 1 / 2,
        ("cleaned_rate", "quotes", "one-pass", "qa"): 1 / 2,
        ("unchanged_rate", "qa"): 1 / 2,
    }
