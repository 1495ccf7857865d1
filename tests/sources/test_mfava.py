"""mFAVA's published files: tiny ones, and the real ones with the counts that were found in them."""

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
import zstandard

from truerate.config import Source, Training
from truerate.core.errors import TruerateError
from truerate.core.spans.tags import TYPES
from truerate.leaderboard.file_counts import check_counts
from truerate.leaderboard.ledger import load_published
from truerate.metrics.rates import hr_est
from truerate.metrics.tokens import offsets_by, token_counts, total
from truerate.sources.papers.mfava import annotators, copies, settled
from truerate.sources.reading import read_source
from truerate.tracks.mfava.protocol import PROTOCOL

ROOT = Path(__file__).parents[2]

TEXT = "Varn liegt am Ost. Es hat einen Mond."
ROW = {"lang": "de", "row": 0, "references": "Varn: eine Stadt am Ost.", "generated_text": TEXT}
SILVER = {"silver_annotations": "Varn liegt am Ost. <invented>Es hat einen Mond.</invented>"}
GOLD = {"gold_annotations": "Varn liegt am <entity>Ost</entity>. <invented>Es hat einen Mond.</invented>"}


def places(spans):
    return [(span["start"], span["end"]) for span in spans]


def packed(rows):
    return zstandard.compress("".join(json.dumps(row) + "\n" for row in rows).encode())


def test_two_annotators_who_agree_on_a_text_are_no_copy():
    shared = [(f"text {n}", f"marks {n}") for n in range(5)]
    other = [*shared[:2], ("text 2", "other marks"), *shared[3:]]
    assert copies([*shared, *other]) == set()  # the third text shows that another person walked through them
    assert copies([*shared, *shared]) == {6, 7, 8, 9, 10}
    assert copies([*shared, ("own", "own"), shared[1], ("last", "last"), shared[4]]) == {7, 9}
    assert copies([shared[0], shared[0]]) == set()  # at once: the later row counts (see above)


def test_runs_of_shared_rows_are_annotators():
    # shared | own | shared shared — the third run begins where a text comes back
    shared = [f"text {n}" for n in range(20)]
    rows = [*shared, "own", *shared, *shared]
    named = annotators({("de", row): text for row, text in enumerate(rows)})
    assert [named["de", row][3:] for row in range(61)] == ["annotator 1"] * 20 + ["single"] + [
        "annotator 2"
    ] * 20 + ["annotator 3"] * 20


def test_a_language_that_shares_few_texts_tells_no_annotators_apart():
    rows = [f"text {n}" for n in range(19)] * 2 + ["own"]
    named = annotators({("fr", row): text for row, text in enumerate(rows)})
    assert [named["fr", row] for row in range(39)] == ["fr not inferable"] * 38 + ["fr single"]


def test_max_voting_over_many_spans_takes_no_time():
    marked = [
        {"start": index, "end": index + 1, "type": "entity", "p": None} for index in range(0, 40_000, 2)
    ]
    assert settled([marked, marked], "x" * 40_000) == marked  # 20,000 spans: pair by pair this took minutes


def test_max_voting_takes_more_than_half_and_the_most_given_type():
    entity, relation = ({"start": 1, "end": 4, "type": kind, "p": None} for kind in ("entity", "relation"))
    wide = {"start": 0, "end": 3, "type": "entity", "p": None}
    # characters 0: 1 of 3 · 1–2: 3 of 3, two of them entity · 3: 2 of 3, one each, so `entity` by name
    assert settled([[entity], [relation], [wide]], "abcde") == [
        {"start": 1, "end": 4, "type": "entity", "p": None}
    ]
    assert (
        settled([[entity], []], "abcde") == []
        and settled([[entity]], "abcde") == [entity]
        and settled([[]], "abcde") == []
    )
    assert (
        settled([[entity]], "a b d") == [entity | {"start": 2, "end": 3}]
        and settled([[entity]], "a   e") == []
    )  # blanks at the edges


def test_packed_silver_rows_of_one_number_are_one_group(put, read):
    other = ROW | {"lang": "fr", "generated_text": "Varn.", "silver_annotations": "Varn."}
    put(
        "silver.jsonl.zst",
        packed(
            [ROW | SILVER, other, other | {"row": 1, "generated_text": "Ost.", "silver_annotations": "Ost."}]
        ),
    )
    groups = read("mfava").items["group_id"].to_list()
    assert groups[0] == groups[1] != groups[2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (packed([ROW | SILVER] * 50)[:-9], "silver.jsonl.zst: the Zstandard file ends too early"),
        (b"plain text", "silver.jsonl.zst: not Zstandard"),
        (zstandard.compress(b'{"lang": '), "silver.jsonl.zst row 1: not JSON"),
        (packed([ROW | SILVER | {"lang": "deutsch"}]), "silver.jsonl.zst row 1: field 'lang' is 'deutsch'"),
    ],
)
def test_broken_files_are_one_line(put, read, content, message):
    put("silver.jsonl.zst", content)
    with pytest.raises(TruerateError) as error:
        read("mfava")
    assert message in str(error.value) and "\n" not in str(error.value)


BOTH = (
    ("a", "other"),
    ("b", "own"),
)  # a source that learns from itself, and another that learns from that one


# ---- training ----------------------------------------------------------------------------------------------
def test_training_texts_of_another_folder_become_train(put, tmp_path):
    put("own/gold.jsonl", [ROW | SILVER | GOLD])
    put(
        "other/silver.jsonl.zst",
        packed([ROW | SILVER | {"row": n, "lang": "fr", "references": f"Une ville {n}."} for n in range(20)]),
    )
    source = Source(
        reader="mfava", path="own", training=Training(reader="mfava", path=str(tmp_path / "other"))
    )
    got = read_source("x", source, tmp_path / "own", "stop")
    train, ours = got.samples.filter(task="train"), got.samples.filter(task="silver")
    assert sorted(ours["label_source"]) == ["gold", "silver"]
    assert (
        0 < train.height < 20
        and set(train["split"]) == {"train"}
        and got.card["counts"]["n_train"] == train.height
    )
    training_rows = got.items.filter(task="train")
    assert set(train["item_id"]) == set(training_rows["item_id"])
    assert set(training_rows["document_ids"].explode()) <= set(got.documents["document_id"])
    assert got.card["redistribution"] == "no" and len(got.card["files"]) == 2
    named = Training(reader="mfava", path=str(tmp_path / "other"), name="a")
    first, second = (
        read_source(name, source.model_copy(update={"training": named}), tmp_path / folder, "stop")
        for name, folder in BOTH
    )
    assert (
        first.samples.filter(task="train")
        .sort("sample_id")
        .equals(second.samples.filter(task="train").sort("sample_id"))
    )
    assert (
        first.items.filter(task="train")
        .sort("item_id")
        .equals(second.items.filter(task="train").sort("item_id"))
    )


def test_nothing_is_learned_from_what_is_judged(put, tmp_path):
    put("gold.jsonl", [ROW | SILVER | GOLD])
    put(
        "silver.jsonl.zst",
        packed([ROW | SILVER | {"row": row, "references": f"Varn {row}"} for row in range(20)]),
    )
    source = Source(reader="mfava", path=".", training=Training(reader="mfava", path=str(tmp_path)))
    got = read_source("x", source, tmp_path, "stop")
    train, stored = got.samples.filter(task="train"), got.samples.filter(task="silver")
    assert train.height + stored.filter(label_source="silver").height == 21 and 0 < train.height < 20
    assert set(train["split"]) == {"train"} and not set(train["group_id"]) & set(stored["group_id"])
    assert got.samples["sample_id"].n_unique() == got.samples.height


def test_a_training_folder_that_is_not_there_is_one_line(put, tmp_path):
    put("gold.jsonl", [ROW | SILVER | GOLD])
    source = Source(
        reader="mfava", path=".", training=Training(reader="mfava", path=str(tmp_path / "absent"))
    )
    with pytest.raises(
        TruerateError, match="to learn from; put the files there or correct sources.x.training.path"
    ):
        read_source("x", source, tmp_path, "stop")


# ---- the published files -----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def published(public):
    folder = public("mfava", "gold.jsonl")
    return read_source("mfava", Source(reader="mfava", path=str(folder)), folder, "stop")


def test_counts_of_the_published_gold_file(published):
    counts = published.card["counts"]
    rows = {lang: counts[f"n_gold_rows_{lang}"] for lang in ("ar", "zh", "de")}
    assert rows == {"ar": 248, "zh": 320, "de": 331}
    # rows whose tags close by their own names, unnested, and whose text is the published one: 154, 244, 247
    # silver; 190, 292, 259 gold. Ours are fewer by those whose tags are no type of the six (`contridictory`,
    # `Entity`), or hold nothing
    for labels, clean, lost in (
        ("silver", (153, 243, 247), (1, 1, 0)),
        ("gold", (190, 284, 243), (0, 8, 16)),
    ):
        for lang, n, n_lost in zip(rows, clean, lost, strict=True):
            assert counts[f"n_{labels}_clean_{lang}"] == n
            assert (
                counts.get(f"n_{labels}_unknown-type_{lang}", 0)
                + counts.get(f"n_{labels}_empty-span_{lang}", 0)
                == n_lost
            )
    texts = dict(published.samples.filter(label_source="gold").group_by("lang").len().rows())
    assert texts == {"ar": 190, "zh": 251, "de": 179}  # what several people labelled is one text
    shared = published.judgements.filter(~pl.col("judge").str.ends_with("single"))
    assert (
        shared["judge"].n_unique() == 5 + 1
    )  # zh shares 13 texts, too few to tell its annotators apart; de shares 25
    assert published.judgements.height == 190 + 284 + 243 - 1  # one row was repeated at once


def test_opening_tags_of_the_published_gold_file_are_the_spans_of_table_2(published):
    """mFAVA Table 2 counts opening tags, those of unreadable rows and of every annotator of a shared text
    among them.
    """
    printed = {
        "ar": (144, 10, 123, 150, 171, 69),
        "zh": (264, 18, 282, 265, 259, 139),
        "de": (546, 25, 324, 333, 311, 238),
    }
    for lang, counts in printed.items():
        assert tuple(published.card["counts"][f"n_gold_tags-{tag}_{lang}"] for tag in TYPES) == counts
    assert [sum(counts) for counts in printed.values()] == [
        667,
        1227,
        1777,
    ]  # of 5,777; Russian and Turkish are not in the file


def test_the_ledger_finds_table_2_in_the_published_files(published):
    printed = load_published(ROOT / "src/truerate/tracks/mfava/published.csv")
    lines = list(check_counts(printed, PROTOCOL.counted, {"mfava": ("mfava", published.card["counts"])}))
    verdicts = Counter((line["source"][-1], line["verdict"]) for line in lines)
    # 6 types and their total in Arabic, Chinese and German; 11 of 29 languages; five of Table 9's languages, of which
    # fewer articles are public than the paper counts
    assert verdicts == {
        ("2", "reproduced"): 21,
        ("4", "cannot be checked"): 6,
        ("9", "differs"): 15,
        ("9", "cannot be checked"): 3,
    }
    articles = {line["quantity"]: line["ours"] for line in lines if line["quantity"].startswith("n_articles")}
    assert articles == {
        "n_articles · Cantonese": 81,
        "n_articles · Chinese": 434,
        "n_articles · German": 796,
        "n_articles · Korean": 285,
        "n_articles · Vietnamese": 350,
        "n_articles · Total": 1946,
    }


def test_counts_of_the_published_silver_and_wild_files(published):
    counts = published.card["counts"]
    langs = ("es", "fi", "fr", "he", "it", "ko", "vi", "yue")
    assert {counts[f"n_silver_rows_{lang}"] for lang in langs} == {309}
    assert [counts[f"n_silver_clean_{lang}"] for lang in langs] == [277, 241, 285, 189, 285, 226, 226, 217]
    assert published.rejects.group_by("where").len().sort("where").rows() == [
        ("gold.jsonl", 438),
        ("silver.jsonl.zst", 526),
    ]
    wild = published.items.filter(task="wild")
    assert (wild.height, wild["group_id"].n_unique()) == (3177, 1945) and set(wild["lang"]) == {
        "de", "zh", "yue", "ko", "vi",
    }  # fmt: skip


def test_spans_of_the_published_files_lie_in_their_texts(published):
    for text, spans in published.samples.select("text", "spans").iter_rows():
        results = places(spans)
        assert results == sorted(results) and all(0 <= start < end <= len(text) for start, end in results)
        assert all(entry[1] <= other[0] for entry, other in zip(results, results[1:], strict=False))
        assert not any(text[index].isspace() for start, end in results for index in (start, end - 1))


def test_with_counts_of_the_same_rows_the_estimate_is_the_gold_rate(published):
    """mFAVA Eq. 1 with P and R of silver against gold on these very texts: P·H/(R·N) = TP/H · H/(TP/G · N) =
    G/N.
    """
    labels = published.samples.pivot(
        "label_source", index=["lang", "item_id", "text"], values="spans"
    ).drop_nulls()
    cut = offsets_by("words")
    for lang, n_texts in {"ar": 122, "zh": 189, "de": 160}.items():
        rows = labels.filter(lang=lang)
        parts = [cut(text) for text in rows["text"]]
        counts = total(
            map(
                token_counts,
                parts,
                *([places(spans) for spans in rows[labels]] for labels in ("gold", "silver")),
            )
        )
        estimate = hr_est(counts.both / counts.detected, counts.both / counts.gold, counts.detected, counts.n)
        assert (lang, rows.height) == (lang, n_texts) and estimate == pytest.approx(
            counts.gold / counts.n, rel=1e-12
        )
        assert 0.1 < estimate < 0.9


def test_every_kept_tag_of_the_published_files_is_one_of_the_six(published):
    assert set(published.samples.explode("spans").drop_nulls("spans")["spans"].struct.field("type")) == set(
        TYPES
    )


def test_fourteen_of_998_questions_without_a_query_stop_or_are_rejected_by_the_setting(put, read):
    # so in the published Turkish file: row 113 is the first
    bad = range(113, 113 + 14 * 60, 60)
    lines = ["Category,Article Title,URL,reference_1,query_1,query_2"]
    for row in range(1, 999):
        lines.append(
            f"x,Yer {row},,Bir {row}." + (",," if row in bad else f",Yer {row} nedir?,Yer {row} nerede?")
        )
    put(
        "datasets/hallucination_evaluation/turkish/wiki_references_and_queries_tr.csv",
        "\n".join(lines) + "\n",
    )
    with pytest.raises(TruerateError, match=r"row 113.*set on_bad_row: reject") as error:
        read("mfava")
    assert "\n" not in str(error.value)
    got = read("mfava", on_bad_row="reject")
    assert got.rejects["row"].to_list() == list(bad) and got.rejects["reason"].n_unique() == 1
    assert all(detail for detail in got.rejects["detail"]) and got.items["group_id"].n_unique() == 998 - 14
    assert set(got.items["lang"]) == {"tr"}
