"""The one rule of what a word is, in the scripts of the languages that boards have."""

import re
from pathlib import Path

import polars as pl
import pytest

import truerate
from tests.cases import case_table
from truerate.core import text as texts
from truerate.core.spans.quotes import locate
from truerate.core.text import WORD, compatible, n_words, normalise, piece_spans, pieces, terms, words
from truerate.detectors.evidence import retrieved
from truerate.detectors.lexical import _features
from truerate.detectors.published.chunks import Chunker, chunks
from truerate.detectors.tokens.features import units
from truerate.metrics.bm25 import Index
from truerate.metrics.ngrams import absent_rate, form, word_grams
from truerate.metrics.similarity import chrf
from truerate.metrics.text_overlap import bleu, bleu_sums, rouge_l
from truerate.tracks.halueval.sampling import candidate_reason
from truerate.tracks.wildhallucinations.passages import passages
from truerate.web.outcomes import Outcome, judged

CASES = case_table(__file__)

SPACED = CASES["spaced"]
UNSPACED = CASES["unspaced"] | {"th": ("น้ำปี ๒๕", ["น้ำ"[:2], "ำ", "ปี", "๒๕"])}


@pytest.mark.parametrize("lang", SPACED)
def test_words_of_scripts_with_spaces_are_whole(lang):
    text = SPACED[lang]
    assert words(f"«{text}!»") == text.split()


@pytest.mark.parametrize("lang", UNSPACED)
def test_words_of_scripts_without_spaces_are_letters_with_their_marks(lang):
    text, expected = UNSPACED[lang]
    assert words(text) == expected == [text[start:end] for start, end in piece_spans(text)]


@pytest.mark.parametrize(
    "text", [*SPACED.values(), *(text for text, _ in UNSPACED.values()), "It's 10^-6_a 5¹ x"]
)
def test_polars_counts_the_same_words(text):
    assert pl.Series([text]).str.count_matches(WORD).item() == len(words(text))


@pytest.mark.parametrize(
    "text", ["Jean-Luc's 1,000 x_1 10^6 a^b 2^-3 'tis -- rock-'n'-roll U.S. e.g. 3.5%", "", "a", "--^6^"]
)
def test_ascii_is_cut_as_everything_else(text):
    beside = f"é {text}"  # no ASCII: the other way
    assert words(beside) == ["é", *words(text)] and terms(beside) == ["é", *terms(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("राम", "रोम"), ("दिल्ली", "दिल्ला"), ("كَتَبَ", "كُتُب"), ("சென்னை", "சன்னை"), ("ဒီ", "ဒု"), ("10⁶", "106"), ("1½", "11/2"),
     ("10⁻⁶", "10⁶"), ("10₂", "102"), ("5①", "51"), ("ปี", "ปู")],
)  # fmt: skip
def test_other_words_are_no_equals(one, other):
    assert normalise(one) != normalise(other)
    assert candidate_reason(one, other) is None
    assert absent_rate(words(one), set(words(other))) > 0
    assert locate(one, other) is None
    assert units(one).keys != units(other).keys


@pytest.mark.parametrize(
    ("one", "other"),
    [("The  Delhi.", "delhi"), ("café", "cafe\u0301"), ("STRASSE", "Straße"), ("İzmir", "izmir"), ("１２ km²", "12 km2"), ("H₂O", "H2O"),
     ("10⁶", "10^6"), ("10⁻⁶", "10^-6"), ("Wör\u00adter", "Wörter"), ("ﷲ", "الله"), ("کتـاب", "کتاب"), ("1️⃣", "1"), ("ΟΔΟΣ", "οδος")],
)  # fmt: skip
def test_forms_of_one_word_are_equal(one, other):
    assert normalise(one) == normalise(other) != ""


def test_a_power_is_no_number_of_more_digits():
    assert compatible("5.97×10²⁴ kg, 1¹/₂ m², 10⁻⁶") == "5.97×10^24 kg, 1 1/2 m2, 10^-6"
    assert "106" not in units("10⁶ and 10^6").keys and units("10⁶").keys == units("10^6").keys == ["10^6"]


def test_terms_pair_the_letters_of_scripts_without_spaces():
    assert terms("北京 is It's 京 カード") == ["北京", "is", "it", "s", "京", "カー", "ード"]
    assert terms("กรุง") == ["กรุ", "รุง"]


def test_a_swapped_name_is_seen_in_every_script():
    for told, known in (("रोम ने शहर बनाया", "राम ने शहर बनाया"), ("Rom hat es erbaut", "Ram hat es erbaut")):
        assert _features(told, known)[0] == 1 / 4


# ---- the source --------------------------------------------------------------------------------------------
OF_PATTERNS = re.compile(r"\bre\.(?:compile|search|match|fullmatch|finditer|findall|sub|split)\(")
# Where the standard library's `\w` or `\b` may stand: what is read there is no text of any language, or English words.
ALLOWED = CASES["allowed"]


def test_no_other_module_cuts_words():
    root = Path(truerate.__file__).parent
    found = []
    for path in sorted(root.rglob("*.py")):
        name, source = path.relative_to(root).as_posix(), path.read_text("utf-8")
        if (
            re.search(r"^import re$", source, re.M)
            and OF_PATTERNS.search(source)
            and re.search(r"\\[wWbB]", source)
        ):
            found.append(name)
    assert [
        name for name in found if not any(name == part or name.startswith(f"{part}/") for part in ALLOWED)
    ] == []
    cuts = [
        p
        for p in root.rglob("*.py")
        if r"\w+(?:['’\-]\w+)*" in p.read_text("utf-8") or "NFKC" in p.read_text("utf-8")
    ]
    known = ("core/text.py", "core/sentence_spans.py", "site/samples/word_index.py", "answers/reading.py")
    assert [p for p in cuts if "llm/replies" not in p.as_posix() and not p.as_posix().endswith(known)] == []
    assert texts.words("राम") == ["राम"]


# ---- every public function, one sentence per script ----------------------------------------------------------
SENTENCES = {**SPACED, **{lang: text for lang, (text, _) in UNSPACED.items()}}


@pytest.mark.parametrize("lang", SENTENCES)
def test_every_function_sees_the_whole_sentence(lang):
    text = SENTENCES[lang]
    assert rouge_l([(text, text)]) == [1.0] and rouge_l([(text, "xyz")]) == [0.0]
    assert bleu(bleu_sums([(text, text)]).sum(axis=0)) == pytest.approx(1, abs=1e-12)
    assert chrf([[text, text]]) == [[1.0]]
    assert Index.of([["xyz"], terms(text), ["abc"]]).best([terms(text)], 1) == [[1]]
    assert "".join("".join(word_grams(text)).split()) and set(word_grams(text)) >= set(pieces(text.lower()))
    if len(terms(text)) > 1:  # it matches pairs of letters
        assert retrieved(text, f"xyz abc.\n{text}.\nabc.", 1) == f"{text}."
    assert locate(text, f"xyz {text} abc") is not None
    assert ["".join(one.text.split()) for one in passages("d", text, 999)] == ["".join(text.split())]
    assert "".join(units(text).keys) and not absent_rate(words(text.lower()), set(words(text.lower())))
    assert candidate_reason(text, text) is not None and candidate_reason(text, f"{text} xyz") is None


@pytest.mark.parametrize("lang", SENTENCES)
def test_no_function_counts_a_sentence_of_an_unspaced_script_as_one_word(lang):
    text = SENTENCES[lang]
    n = len(words(text))
    assert n_words(text) == n == form(text).n_words
    stop = "。" if lang in UNSPACED else "։" if lang == "hy" else "."
    long = " ".join(f"{text}{stop}" for _ in range(60))
    assert len(chunks(long, Chunker("minicheck-t5", 50), lambda text: [])) >= n
    assert len(chunks(long, Chunker("alignscore", 50), lambda text: [])) >= min(60 * n // 50, 2)
    # a long page that mentions signing in is no wall, and a short one is
    assert (
        judged(f"{long} please sign in", "", None, ("please sign in",)).outcome is Outcome.OK or 60 * n < 120
    )
    assert judged(f"{text} please sign in", "", None, ("please sign in",)).outcome is Outcome.SIGN_IN
