import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import pairs
from truerate.detectors.evidence import keys, passages, retrieved, with_evidence
from truerate.detectors.family import member
from truerate.detectors.interface import Texts

from .labelled_texts import contexts, samples

DOCUMENTS = pl.DataFrame(
    {"document_id": ["d1", "d2"], "text": ["Paris is big. Rome is old.", "Oslo is cold."]}
)


def cited(of, *evidence):
    """Samples whose attributes name evidence (None: no such attribute)."""
    return of.with_columns(
        attributes=pl.Series([pairs(evidence=item) for item in evidence], dtype=of.schema["attributes"])
    )


def test_own_passages_stand_before_the_items_documents():
    of = cited(samples([("a", True), ("b", True), ("c", True)]), "d2:0-13 d1:0-13", None, "")
    expected = with_evidence(contexts(of, "all of it"), of, DOCUMENTS)
    assert expected.height == 5 and expected.columns == contexts(of).columns
    assert Texts.of(of, expected, with_labels=False).knowledge == [
        "Oslo is cold.\n\nParis is big.",
        "all of it",
        "",
    ]


def test_a_lexical_detector_sees_them():
    of = cited(samples([("Paris is big", False), ("Oslo is cold", True)] * 4), *["d1:0-13", "d1:14-26"] * 4)
    fitted = member("overlap").fit(of, with_evidence(contexts(of), of, DOCUMENTS), 7)
    assert (
        fitted.judge(of, with_evidence(contexts(of), of, DOCUMENTS))["verdict"].to_list() == [False, True] * 4
    )
    assert fitted.judge(of, contexts(of))["verdict"].to_list() == [True] * 8


@pytest.mark.parametrize("named", ["d3:0-1", "d1", "d1:0", "d1:5-2", "d1:0-99", "d1:-1-4", "d1:a-b"])
def test_evidence_that_is_no_passage(named):
    with pytest.raises(TruerateError, match=f"evidence of 's': '{named}' is no passage"):
        passages([named], dict(DOCUMENTS.iter_rows()), where="s")


# ---- retrieved ---------------------------------------------------------------------------------------------
ARTICLE = "Varn is a town. It lies on the Odla. The castle burned in 1204. Cheese is sold on Mondays. Nobody rules it."


def test_the_sentences_that_share_words_with_a_text_are_given_in_the_order_of_the_article():
    judged = "On Mondays cheese is sold. The castle burned."
    assert retrieved(judged, ARTICLE, 2) == "The castle burned in 1204.\nCheese is sold on Mondays."


def test_a_short_article_and_one_that_shares_no_word_are_given_whole():
    assert retrieved("Varn is old.", ARTICLE, 5) == ARTICLE
    assert retrieved("Qux.", ARTICLE, 2) == ARTICLE
    assert retrieved("Varn is old.", "", 2) == ""


def test_scripts_without_spaces_match_by_pairs_of_characters():
    assert set(keys("城堡")) == {"城堡"}
    assert retrieved("城堡很高。", "河很長。城堡建於冬天。市場小。", 1) == "城堡建於冬天。"
