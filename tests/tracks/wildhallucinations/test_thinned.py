"""What scores read of tables, some rows at a time: nothing that they say is lost."""

import polars as pl
import pytest

from truerate.core.schemas import Generation, frame
from truerate.tracks.wildhallucinations import verifier
from truerate.tracks.wildhallucinations.replies import thinned
from truerate.tracks.wildhallucinations.scores import score
from truerate.tracks.wildhallucinations.verifier import said_by, verdicts_of

from .made_facts import At, facts, generation, item, judgement, reply, sample, tables

ITEMS = [item(f"e{k}", domain=f"d{k % 2}") for k in range(6)]
GIVEN = [facts(name, f"e{k}", "++-d?t"[k % 3 :]) for name in "ab" for k in range(6)]
SAMPLES = [sample(f"{name}-e{k}-0", f"e{k}", name, k % 2 == 0, 2.0) for name in "ab" for k in range(6)]
MADE = tables(ITEMS, [reply(name, f"e{k}") for name in "ab" for k in range(6)], GIVEN, SAMPLES)


def test_scores_of_thinned_tables_are_those_of_whole_ones():
    whole = score(At(), "board", **MADE, inputs="i")
    thin = {name: thinned(name, table) for name, table in MADE.items()}
    for found, expected in zip(score(At(), "board", **thin, inputs="i"), whole, strict=True):
        assert found.equals(expected) and found.height > 20


def test_thinned_rows_stay_as_they_are():
    for name, table in MADE.items():
        assert thinned(name, thinned(name, table)).equals(thinned(name, table))


def test_of_a_reply_what_no_score_reads_is_emptied():
    said = {"thought": "long", "retrieved": "[long]", "abstained_paper": "false", "generation": "g"}
    rows = [
        generation(f"g{k}", "e", "m", step, "Two words", **said)
        for k, step in enumerate(("generate", "write_facts", "domain"))
    ]
    found = thinned("generations", frame(Generation, rows))
    assert found["text"].to_list() == ["", "", "Two words"] and found["n_words"].to_list() == [2, None, None]
    assert found["generation_id"].to_list() == ["g0", "g1", "g2"] and set(found["prompt_key"]) == {"asked"}
    told = [{one["key"]: one["value"] for one in each} for each in found["attributes"]]
    kept = {"abstained_paper": "false", "retrieved": ""}  # only whether something was retrieved is read
    assert told == [kept, kept | {"generation": "g"}, kept]


@pytest.mark.parametrize("at_once", [1, 4, 1000])
def test_facts_and_verdicts_meet_however_many_are_joined_at_a_time(monkeypatch, at_once):
    monkeypatch.setattr(verifier, "AT_ONCE", at_once)
    more = [judgement("judge", "a-e0-0", True, again=1), judgement("judge", "a-e0-1", True, stage="single")]
    judged = pl.concat(
        [
            MADE["judgements"],
            MADE["judgements"].clear().vstack(pl.DataFrame(more, schema=MADE["judgements"].schema)),
        ]
    )
    found = verdicts_of(MADE["facts"], judged, "judge")
    by_hand = {row["target_id"]: row["verdict"] for row in MADE["judgements"].iter_rows(named=True)}
    assert found.drop("is_supported").equals(MADE["facts"])
    assert found["is_supported"].to_list() == [
        None if by_hand[name] is None else not by_hand[name] for name in MADE["facts"]["fact_id"]
    ]
    assert said_by(judged, "judge", is_single=True).rows() == [("a-e0-1", True)]
