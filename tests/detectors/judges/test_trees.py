"""The form `trees`: what it marks and decides, and that no text decides about itself."""

from math import log

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from truerate.config import Judging
from truerate.core.errors import TruerateError
from truerate.detectors.judges.family import check_judge, fitted, judge_one, judge_texts
from truerate.detectors.judges.judged import load_decision, reference_of
from truerate.detectors.judges.trees import Marker, Words, is_marker, out_of_fold
from truerate.detectors.judges.word_grounds import (
    BEYOND,
    COMMON,
    FIRST,
    NAME,
    NAMES,
    NUMBER,
    OF_WORD,
    SHORT,
    LabelledWords,
    looks,
    marked_words,
    usage_of,
    usual,
    word_grounds,
)
from truerate.detectors.tokens.features import reference_index, units

from ..fitting import fit_judges
from .dialogues import located_f1, responses, same_files, verdict_rates

HOW = Judging(form="trees", folds=3)
ASKED = responses(30, start=500)


def judged(folder, passages, asked=ASKED):
    """What a judge that learned from passages says of others."""
    fit_judges({"judge": HOW}, passages, {}, seeds=[42], folder=folder / "out", scratch=folder / "scratch")
    return judge_texts({"judge": HOW}, asked, {}, folder=folder / "out")


@pytest.fixture(scope="module")
def fitted_judge(tmp_path_factory):
    """A folder in which a judge learned, and what it says of the responses of towns that it never saw."""
    folder = tmp_path_factory.mktemp("trees")
    return folder, judged(folder, responses(60))


def test_verdicts_agree_with_labels_and_say_how_they_came_about(fitted_judge):
    rates = verdict_rates(ASKED, fitted_judge[1])
    assert rates[0] < 0.2 and rates[1] > 0.85
    given = {item["key"]: item["value"] for item in fitted_judge[1]["attributes"][0]}
    assert given["form"] == "trees" and given["composed"] == "yes"


def test_segments_lie_where_the_labels_are(fitted_judge):
    assert located_f1(ASKED, fitted_judge[1]) > 0.8


def test_the_same_responses_give_the_same_bytes(fitted_judge, tmp_path):
    repeated = judged(tmp_path, responses(60).reverse())
    assert repeated.equals(fitted_judge[1])
    names = same_files(fitted_judge[0] / "out", tmp_path / "out")
    assert names == {"decision.json", "facts.json", "state.npz"}


def test_one_response_is_judged_as_among_others(fitted_judge):
    (reader,) = fitted("judge", HOW, {}, fitted_judge[0] / "out")
    assert is_marker(reader.folder) and Marker.load(reader.folder).decision == load_decision(reader.folder)
    row = ASKED.join(fitted_judge[1].filter("verdict"), on="target_id", suffix="_said").row(0, named=True)
    observed = {name: row[name] for name in ("knowledge", "history", "question")}
    item = judge_one(reader, row["text"], **observed)
    assert (item.verdict, item.p, item.rationale) == (True, row["p"], row["rationale"])
    assert judge_one(reader, "…", **observed).verdict is False


def test_what_is_not_told_by_the_knowledge_moves_the_verdict(fitted_judge):
    """Judged against knowledge that holds nothing, more is called hallucinated."""
    (reader,) = fitted("judge", HOW, {}, fitted_judge[0] / "out")
    clean = ASKED.filter(~pl.col("is_hallucinated"))
    blind = judge_texts(
        {"judge": HOW}, clean.with_columns(knowledge=pl.lit("")), {}, folder=fitted_judge[0] / "out"
    )
    assert blind["p"].mean() > 2 * clean.join(fitted_judge[1], on="target_id")["p"].mean()
    assert not reader.folder.joinpath("network").exists()


def test_no_word_is_told_its_own_label():
    """With the labels of one fold turned round, what is read of that fold is the same to the digit."""
    draw = np.random.default_rng(1)
    features, sizes = draw.integers(0, 4, (400, 3)).astype(float), [4] * 100
    marked, fold = features[:, 0] + draw.normal(0, 0.5, 400) > 2, np.arange(100) % 3
    turned = np.where(np.repeat(fold == 1, 4), ~marked, marked)
    p, other = (out_of_fold(Words(features, item, sizes), fold, 42) for item in (marked, turned))
    inside = np.repeat(fold == 1, 4)
    assert np.array_equal(p[inside], other[inside]) and not np.array_equal(p[~inside], other[~inside])
    assert p[marked].mean() > 3 * p[~marked].mean()


def test_without_texts_to_learn_from_nothing_is_said(tmp_path):
    nothing = responses(4).filter(~pl.col("is_hallucinated"))
    answer = judged(tmp_path, nothing, ASKED.head(3))
    assert set(answer["reason"]) == {"not-fitted"} and answer["verdict"].null_count() == 3


def test_wrong_settings_are_one_line(tmp_path):
    with pytest.raises(ValidationError, match="form trees takes no `backbone`"):
        Judging(form="trees", backbone="small", folds=3)
    with pytest.raises(ValidationError, match="form tiny needs a `backbone`"):
        Judging(form="tiny", folds=3)
    check_judge("judge", HOW, {})
    with pytest.raises(TruerateError, match="run `dvc repro train`"):
        Marker.load(tmp_path)


# ---- word grounds ------------------------------------------------------------------------------------------
KNOWLEDGE = "Velmora was founded in 1912. Not to be confused with Gamard."


def grounds(text, word, *, knowledge=KNOWLEDGE, history="Assistant: It trades in lace.", odds=None):
    """What is said of one word, by name."""
    reference = reference_of(knowledge, history, "Well?")
    answer, numbers = word_grounds(text, knowledge, f"{history}\nWell?", reference, odds or {})
    keys = [text[start:end] for start, end in answer.offsets.tolist()]
    return dict(zip(NAMES, numbers[keys.index(word)].tolist(), strict=True))


def test_a_wrong_value_stands_nowhere_and_the_rest_of_its_sentence_does():
    given = grounds("Velmora was founded in 1899.", "1899")
    assert (given["level"], given["looks"], given["in_knowledge"], given["in_conversation"]) == (
        0,
        NUMBER,
        0,
        0,
    )
    # its sentence shares Velmora and founded with the first sentence of the knowledge, and none holds it
    assert (given["held_with"], given["shared_most"], given["lacking"], given["others"]) == (-1, 2, 2, 2)
    assert (given["numbers"], given["words"], given["place"], given["letters"]) == (1, 5, 4, 4)
    right = grounds("Velmora was founded in 1912.", "1912")
    assert (right["level"], right["held_with"], right["lacking"]) == (2, 2, 0)


def test_a_word_that_stands_in_another_sentence_lacks_what_its_own_shares():
    given = grounds("Gamard was founded in 1912.", "Gamard")
    assert given["in_knowledge"] == 1 and given["looks"] == FIRST
    # the sentence that holds Gamard shares neither founded nor 1912
    assert (given["held_with"], given["shared_most"], given["lacking"]) == (0, 2, 2)
    assert given["from_knowledge"] == 2 and given["absent_others"] == 0


def test_what_was_said_before_is_told_apart_from_the_knowledge():
    given = grounds("It trades in lace.", "lace")
    assert (given["in_knowledge"], given["in_conversation"], given["level"]) == (0, 1, 2)


def test_words_beside_it_are_told_and_none_beyond_the_ends():
    given = grounds("Velmora was founded in 1899.", "in", odds={"1899": 1.5})
    assert given["usual +1"] == 1.5 and given["looks +1"] == NUMBER and given["level -1"] == 2
    assert given["level +2"] == BEYOND and len(given) == len(OF_WORD) + 4 * 6


def test_a_text_without_a_word_has_none_and_scripts_without_spaces_have_characters():
    assert word_grounds("…", KNOWLEDGE, "", KNOWLEDGE, {})[1].shape == (0, len(NAMES))
    answer, numbers = word_grounds("镇建于年", "卡洛镇建于一年。", "", "卡洛镇建于一年。", {})
    assert numbers.shape == (4, len(NAMES)) and set(looks(answer, "镇建于年")) == {COMMON}


def test_how_words_look():
    text = "It is Old Brin, founded 1899."
    assert looks(units(text), text).tolist() == [FIRST, SHORT, NAME, NAME, COMMON, NUMBER]


def test_what_is_usual_is_counted_per_group_and_never_of_the_own():
    """`prized` is absent and clean in groups a and b, absent and marked in c: ln(2½ / 1½). Told to a: ln(1½ /
    1½).
    """
    texts = []
    for group, spans in (("a", []), ("a", []), ("b", []), ("c", [{"start": 3, "end": 9}])):
        answer = units("Is prized.")
        texts.append(LabelledWords(group, answer, marked_words(answer, spans), reference_index("It is old.")))
    usage = usage_of(texts)
    assert usual(usage)["priz"] == pytest.approx(log(2.5 / 1.5))
    assert usual(usage, "a")["priz"] == 0
    assert "is" not in usage  # what stands there is not counted
    assert np.array_equal(texts[-1].marked, [False, True])
