"""Rows of rates where some languages have labels and others none."""

from truerate.metrics.estimators.sample import EXACT
from truerate.tracks.mfava.analyses import headline, outcome_rows
from truerate.tracks.mfava.rate_scores import count_rows, rate_rows

from .made_replies import replies
from .made_scores import WRITER

GOLD = [1, None, 3, 2, None, 2]


def cells(*labelled: str):
    """Replies of ten tokens in four languages, of which people labelled some of these."""
    return {
        ("a", lang): replies(2, 3, 4, 3, 2, 4, lang=lang, gold=GOLD if lang in labelled else ())
        for lang in ("de", "en", "fr", "tr")
    }


def rates(made: list[dict], estimator: str) -> dict[str, dict]:
    found = [({pair["key"]: pair["value"] for pair in row["slice"]}, row) for row in made]
    return {
        where["lang"]: row
        for where, row in found
        if row["metric"] == "hallucination_rate"
        and (where.get("estimator"), where.get("replies")) == (estimator, "all")
    }


def ranked(board) -> set[str]:
    rows = outcome_rows(board, headline(board, 0.95), WRITER)
    return {pair["value"] for pairs in rows["slice"].to_list() for pair in pairs if pair["key"] == "lang"}


def test_a_language_without_labels_is_predicted_wide_and_takes_no_rank():
    board = cells("de", "en", "fr")
    made, _ = rate_rows(board, {}, EXACT, WRITER)
    own, foretold = rates(made, "prediction-powered"), rates(made, "predicted")
    assert own["de"]["value"] is not None and own["tr"]["value"] is own["all"]["value"] is None
    assert set(foretold) == {"tr", "all"}
    widths = [row["high"] - row["low"] for row in (own["de"], foretold["tr"])]
    assert widths[0] < widths[1] and foretold["tr"]["low"] <= own["de"]["value"] <= foretold["tr"]["high"]
    assert ranked(board) == {"de", "en", "fr"}


def test_labels_in_too_few_languages_predict_nothing():
    board = cells("de")
    made, _ = rate_rows(board, {}, EXACT, WRITER)
    own = rates(made, "prediction-powered")
    assert not rates(made, "predicted") and [lang for lang in own if own[lang]["value"] is not None] == ["de"]
    assert rates(made, "raw")["tr"]["value"] is not None and ranked(board) == {"de"}


def test_how_many_replies_have_labels_is_counted():
    made = count_rows(cells("de"), WRITER)
    found = {row["slice"][0]["value"]: row["value"] for row in made if row["metric"] == "n_labelled"}
    assert found == {"de": 4, "en": 0, "fr": 0, "tr": 0, "all": 4}
