"""The sample browser's data where several hands mark words."""

import dataclasses

import polars as pl
from opened_scripts import values_of
from tiny_mfava import NAME, mfava_board
from tiny_tables import tiny_tables

from truerate.core.schemas import Generation, Judgement, frame, pairs
from truerate.pipeline.publishing.site_tables import digested
from truerate.site.rights import open_part
from truerate.site.samples.browser import scripts
from truerate.site.samples.index import coded
from truerate.site.samples.layers import segments
from truerate.site.samples.marked import compare, hard, records, targets
from truerate.site.vocabulary import Vocabulary


def span(start, end, kind="entity", p=None):
    return {"start": start, "end": end, "type": kind, "p": p}


def marked_by(record, layer):
    """The pieces of a record's text that a layer marks."""
    pieces = [part for part in record["text"] if isinstance(part, list)]
    return [text for text, marks in pieces if any(mark[0] == layer for mark in marks)]


def test_segments_name_the_layer_type_and_share_of_every_hand():
    found = segments("abcdef", [[span(1, 4)], None, [span(3, 5, "hallucination", 0.93)]])
    gold, network = [0, "entity", 0], [2, "hallucination", 93]
    assert found == ["a", ["bc", [gold]], ["d", [gold, network]], ["e", [network]], "f"]
    assert segments("𠮷🦜a", [[span(1, 99, None)]]) == ["𠮷", ["🦜a", [[0, "hallucination", 0]]]]
    assert segments("", [None]) == []


def test_soft_spans_count_above_a_half():
    assert hard([span(0, 1, p=0.5), span(1, 2, p=0.51), span(2, 3)]) == [span(1, 2, p=0.51), span(2, 3)]
    assert hard([span(0, 1, p=0.3), span(1, 2, p=0.2)], 0.25) == [span(0, 1, p=0.3)]


def test_what_a_detector_does_to_labels_is_one_letter():
    truth = [span(0, 5), span(10, 15)]
    assert compare(truth, [span(4, 6), span(10, 11)]) == "a" and compare(truth, [span(0, 5)]) == "m"
    assert compare(truth, [span(0, 12), span(20, 22)]) == "x" and compare(truth, [span(20, 22)]) == "b"
    assert compare(None, [span(0, 1)]) == "n" and compare(truth, None) == "-" and compare([], []) == "a"


def test_a_text_with_silver_and_gold_labels_and_a_labelled_reply_are_one_record_each():
    made, index = records(mfava_board(), 100)
    # per language 3 passages and 3 models x 2 replies
    assert index["n"] == index["n_all"] == 27 and index["layers"][:3] == ["gold", "silver", "tiny-prefix"]
    by_id = {record["id"]: record for record in made}
    (both,) = [record for name, record in by_id.items() if name.startswith("silverar0")]
    assert both["_source"] == ["gold", "silver", "silver and gold differ"]
    assert both["hands"] == [0, 1, 2, 3, 4]
    assert by_id["replydebirch1"]["_source"] == ["no labels"]
    assert not marked_by(both, index["layers"].index("token-lr"))  # p .31
    natural = by_id["replydebirch0-gold"]
    assert "".join(marked_by(natural, 0)) == "rt Meridian"  # p .8 is shown, .4 is not
    assert natural["_types"] == ["hallucination"] and natural["task"] == "wild"


def test_the_choice_is_bounded_and_even_over_languages():
    made, index = records(mfava_board(), 9)
    assert index["n"] == 9 and index["n_all"] == 27
    assert sorted(record["lang"] for record in made) == ["ar"] * 3 + ["de"] * 3 + ["zh"] * 3
    assert records(mfava_board(), 9)[1] == index


def test_whose_verdicts_are_shown_is_told_without_them_and_by_digests_of_texts():
    """27 texts, of which replies of birch repeat labelled ones, and an empty reply is none."""
    board = mfava_board()
    silent = [row | {"generation_id": "silent", "text": ""} for row in board.generations.head(1).to_dicts()]
    whole = dataclasses.replace(board, generations=board.generations.vstack(frame(Generation, silent)))
    texts = {"samples": digested(whole.samples), "generations": digested(whole.generations)}
    bare = dataclasses.replace(whole, judgements=frame(Judgement), **texts)
    assert not set(bare.samples["text"]) & set(whole.samples["text"])
    for n in (9, 100):
        assert targets(bare, n) == targets(whole, n)
    shown = targets(bare, 100)
    assert "silent" not in shown and {*whole.samples["sample_id"]} <= shown


def test_only_the_leading_seed_and_scope_of_a_detector_are_shown():
    board = mfava_board()
    facts = pairs(seed=1, scope="mono", labels="binary")
    more = [
        row | {"judgement_id": f"x{row['judgement_id']}", "attributes": facts, "spans": []}
        for row in board.judgements.to_dicts()
    ]
    twice = dataclasses.replace(board, judgements=board.judgements.vstack(frame(Judgement, more)))
    assert records(twice, 100) == records(board, 100)


def test_scripts_of_a_marked_board_have_filters_of_their_own():
    tables = tiny_tables()
    made = values_of(scripts(tables, tables.boards[2]))
    assert list(made) == [f"samples/{NAME}/{name}.js" for name in ("0", "words/0", "ids", "index")]
    index = made[f"samples/{NAME}/index.js"]
    assert [key for key, *_ in index["filters"]] == ["task", "lang", "source", "type", "generator", "oddity"]
    assert index["columns"]["lang"]["values"] == [["ar", "Arabic"], ["zh", "Chinese"], ["de", "German"]]


def test_texts_of_another_source_stay_closed_where_its_rights_do():
    board = mfava_board()
    board = dataclasses.replace(board, items=board.items.with_columns(source=pl.lit(board.source)))
    rights = board.source_card | {"redistribution": "no"}
    closed = open_part(dataclasses.replace(board, source_card=rights))
    assert closed.samples.is_empty() and closed.generations.is_empty()
    rights |= {"own_redistribution": "yes"}
    assert open_part(dataclasses.replace(board, source_card=rights)).samples.equals(board.samples)
    first, *others = sorted(set(board.samples["item_id"]))
    is_first = pl.when(pl.col("item_id") == first)
    lent = board.items.with_columns(source=is_first.then(pl.lit("lent")).otherwise("source"))
    taught = board.items.with_columns(task=is_first.then(pl.lit("train")).otherwise("task"))
    for items in (lent, taught):
        shown = open_part(dataclasses.replace(board, items=items, source_card=rights))
        assert sorted(set(shown.samples["item_id"])) == others and first not in set(shown.items["item_id"])
        assert first not in set(shown.generations["item_id"])


def test_the_hub_id_of_a_writer_stays_as_it_is():
    name = "01-ai/Yi-1.5-9B-Chat"
    assert coded("generator", [name], Vocabulary())["values"] == [[name, name]]
