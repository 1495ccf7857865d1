"""A board that is scored part by part has the scores of one that is scored at once."""

import polars as pl
import pytest

from truerate.tracks.mfava.marking import WHOLE, answers, in_parts, parts_of_items, pieces, scored_parts
from truerate.tracks.mfava.scores import score

from .made_scores import At, item, judged, reply, sample, span, tables

LANGS = ("de", "en")


def board(learned: str = "de") -> dict[str, pl.DataFrame]:
    """Two languages with passages, replies and labels of some of them; seed 43 judged the English texts alone, and
    another detector the German ones. A German item has a passage to learn from in the language `learned`.
    """
    items = [
        item(f"{lang}{k}", lang=lang, task="wild", group=f"g{k // 2}-{lang}")
        for k in range(4)
        for lang in LANGS
    ]
    items += [item(f"p-{lang}", lang=lang) for lang in LANGS]
    replies = [
        reply(f"{lang}{k}", model, f"{model} says {k} words", lang=lang)
        for k in range(4)
        for lang in LANGS
        for model in ("small", "large")
    ]
    samples = [
        sample(f"p-{lang}", "a b c d", span(0, 1), span(4, 5, kind="invented"), lang=lang) for lang in LANGS
    ]
    samples += [
        sample(f"{lang}{k}", f"small says {k} words", span(0, 5), task="wild", source="gold", lang=lang)
        for k in range(3)
        for lang in LANGS
    ]
    items.append(item("t", lang="de", task="train"))
    samples.append(sample("t", "a b", lang=learned, task="train"))
    targets = [row["generation_id"] for row in replies] + [row["sample_id"] for row in samples[:2]]
    said = [judged(one, span(0, 3, p=0.9), span(4, 6, p=0.3)) for one in targets]
    said += [judged(one, span(2, 3, p=0.8), seed=43) for one in targets if "de" not in one]
    said += [judged(one, span(0, 9, p=0.7), member="other", n_windows=2) for one in targets if "de" in one]
    return tables(items, samples, replies, said)


def test_no_text_is_lost_or_in_two_parts():
    made = board()
    parts = scored_parts(made["items"], made["samples"], made["generations"])
    assert sorted(parts["target_id"]) == sorted(
        [*made["samples"]["sample_id"], *made["generations"]["generation_id"]]
    )
    by_part = in_parts(made["judgements"], parts)
    replies = answers(made["generations"], made["items"])
    found = list(pieces(made["items"], made["samples"], replies, by_part))
    assert [set(piece.samples["lang"]) for piece in found] == [{"de"}, {"en"}]
    assert pl.concat([piece.replies for piece in found]).sort("generation_id").equals(replies)
    assert sum(piece.judgements.collect().height for piece in found) == made["judgements"].height


def test_an_item_in_two_languages_leaves_a_board_whole():
    made = tables([item("i", lang="en")], [sample("i", "a b", lang="de")])
    assert set(parts_of_items(made["items"], made["samples"])["part"]) == {WHOLE}


@pytest.mark.parametrize("is_given", [True, False], ids=["by-part", "together"])
def test_scores_in_parts_are_those_of_the_board_at_once(is_given):
    # a passage to learn from, of which nothing but the number of texts is told, in two languages leaves a board whole
    parted, whole = board("de"), board("en")
    for made, names in ((parted, {"de", "en"}), (whole, {WHOLE})):
        assert set(parts_of_items(made["items"], made["samples"])["part"]) == names
    parts = scored_parts(parted["items"], parted["samples"], parted["generations"])
    given = parted | ({"judgements": in_parts(parted["judgements"], parts)} if is_given else {})
    (found, outcomes), (expected, others) = (
        score(At(), "board", **tables_of, inputs="digest") for tables_of in (given, whole)
    )
    of_texts = ("n_texts", "n_spans", "span_rate")
    found, expected = (rows.filter(~pl.col("metric").is_in(of_texts)) for rows in (found, expected))
    assert found.equals(expected) and outcomes.equals(others) and outcomes.height
    assert set(found.filter(metric="token_f1")["subject"]) == {"token-lr", "other"}
    windows = found.filter(metric="windowed_rate", subject="other")
    assert windows.height and windows["value"].to_list() == [1.0] * windows.height
    assert found.filter(metric="hallucination_rate").height
