"""References that were read in windows, by hand."""

from truerate.tracks.mfava.scores import score

from .made_scores import At, by_key, item, judged, sample, tables


def windowed(samples: list[dict], said: list[dict]) -> dict[tuple, tuple[float, int]]:
    items = [item(row["item_id"], lang=row["lang"]) for row in samples]
    scores, _ = score(At(), "board", **tables(items, samples, (), said), inputs="digest")
    return {
        key[1:]: (row["value"], row["n"])
        for key, row in by_key(scores.filter(metric="windowed_rate")).items()
    }


SILVER = [sample(name, "a b c", lang=name[:2]) for name in ("en1", "en2", "de1")]


def test_the_share_of_texts_whose_reference_was_read_in_windows():
    said = [
        judged("silver-en1", n_windows=4),
        judged("silver-en2"),
        judged("silver-de1", n_windows=2),
        *(judged(row["sample_id"], member="mark-all") for row in SILVER),  # which reads no reference
    ]
    where = ("token-lr", "silver", "binary")
    assert windowed(SILVER, said) == {
        (*where, "all", "multi"): (0.666667, 3),
        (*where, "en", "multi"): (1 / 2, 2),
        (*where, "de", "multi"): (1.0, 1),
    }


def test_where_all_were_read_whole_there_is_no_row():
    assert windowed(SILVER, [judged(row["sample_id"]) for row in SILVER]) == {}
