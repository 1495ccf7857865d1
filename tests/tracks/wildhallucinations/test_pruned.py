"""What scores read of tables, some rows at a time: nothing that they say is lost."""

import pytest

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


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("Kiel (with 246,000) is a well-known port.", 10),  # Kiel ( with 246,000 ) is a well-known port .
        (
            "It isn't J.R.R. Tolkien's; they'll say so...",
            12,
        ),  # It is n't J.R.R. Tolkien 's ; they 'll say so ...
        ("At 10:30 one cannot pay $5.50, or 3%.", 13),  # At 10:30 one can not pay $ 5.50 , or 3 % .
        ("", 0),
    ],
)
def test_tokens_are_counted_as_nltk_counts_them(text, n):
    rows = [generation("g", "e", "m", "generate", text)]
    assert pruned("generations", frame(Generation, rows))["n_tokens"].to_list() == [n]
    tokenizer = pytest.importorskip("nltk.tokenize").NLTKWordTokenizer()
    assert len(tokenizer.tokenize(text)) == n
