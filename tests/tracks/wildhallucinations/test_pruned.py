"""What scores read of tables, some rows at a time: nothing that they say is lost."""

from truerate.core.schemas import Generation, frame
from truerate.tracks.wildhallucinations.replies import pruned
from truerate.tracks.wildhallucinations.scores import score

from .made_facts import At, facts, generation, item, reply, sample, tables

ITEMS = [item(f"e{k}", domain=f"d{k % 2}") for k in range(6)]
GIVEN = [facts(name, f"e{k}", "++-d?t"[k % 3 :]) for name in "ab" for k in range(6)]
SAMPLES = [sample(f"{name}-e{k}-0", f"e{k}", name, k % 2 == 0, 2.0) for name in "ab" for k in range(6)]
MADE = tables(ITEMS, [reply(name, f"e{k}") for name in "ab" for k in range(6)], GIVEN, SAMPLES)


def test_scores_of_pruned_tables_are_those_of_whole_ones():
    whole = score(At(), "board", **MADE, inputs="i")
    thin = {name: pruned(name, table) for name, table in MADE.items()}
    for pruned_rows, expected in zip(score(At(), "board", **thin, inputs="i"), whole, strict=True):
        assert pruned_rows.equals(expected) and pruned_rows.height > 20


def test_of_a_reply_what_no_score_reads_is_emptied():
    marks = {"thought": "long", "retrieved": "[long]", "abstained_paper": "false", "generation": "g"}
    rows = [
        generation(f"g{k}", "e", "m", step, "Two words", **marks)
        for k, step in enumerate(("generate", "write_facts", "domain"))
    ]
    pruned_rows = pruned("generations", frame(Generation, rows))
    assert pruned_rows["text"].to_list() == ["", "", "Two words"] and pruned_rows["n_words"].to_list() == [
        2,
        None,
        None,
    ]
    assert pruned_rows["generation_id"].to_list() == ["g0", "g1", "g2"] and set(
        pruned_rows["prompt_key"]
    ) == {"asked"}
    attributes_left = [{entry["key"]: entry["value"] for entry in each} for each in pruned_rows["attributes"]]
    kept = {"abstained_paper": "false", "retrieved": ""}  # only whether something was retrieved is read
    assert attributes_left == [kept, kept | {"generation": "g"}, kept]
