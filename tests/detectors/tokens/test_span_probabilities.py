import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tests.detectors.tokens.small_networks import ANSWERS, REFERENCE, coder
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, pairs, validate
from truerate.detectors.tokens.encode import Coder, pretrained_coder, tiny_coder
from truerate.detectors.tokens.span_probabilities import (
    BINARY,
    CATEGORY,
    Reading,
    Spans,
    filled,
    judged_spans,
    not_fitted,
    soft_spans,
    token_labels,
    trimmed,
)


def result(text, offsets, p, kinds=None, labels=BINARY):
    kinds = np.ones(len(p), dtype=int) if kinds is None else np.array(kinds)
    return [
        tuple(item.values())
        for item in soft_spans(text, Reading(np.array(offsets).reshape(-1, 2), np.array(p), kinds), labels)
    ]


def test_neighbours_of_equal_p_are_one_span_with_what_lies_between():
    text = "Lyon is big, old"
    offsets = [(0, 4), (5, 7), (8, 11), (11, 12), (13, 16)]
    # .904 and .896 are both .90; .04 is below the floor and parts its neighbours
    assert result(text, offsets, [0.904, 0.896, 0.04, 0.3, 0.31]) == [
        (0, 7, "hallucination", 0.9),
        (11, 12, "hallucination", 0.3),
        (13, 16, "hallucination", 0.31),
    ]


def test_types_part_spans_and_equal_ones_join():
    text = "a b c"
    offsets = [(0, 1), (2, 3), (4, 5)]
    spans = [(0, 1, "entity", 0.8), (2, 5, "relation", 0.8)]
    assert result(text, offsets, [0.8, 0.8, 0.8], [1, 2, 2], CATEGORY) == spans


def test_pieces_of_one_character_take_the_largest():
    # an emoji in four byte tokens
    spans = [(0, 1, "hallucination", 0.1), (2, 3, "hallucination", 0.9)]
    assert result("x 🦊", [(0, 1), *[(2, 3)] * 4], [0.1, 0.2, 0.9, 0.3, 0.0]) == spans


@pytest.mark.parametrize(
    ("text", "offsets", "p"),
    [("", [], []), ("abc", [], []), ("a b", [(1, 1)], [0.9]), ("ab", [(0, 2)], [0.04])],
)
def test_nothing_to_say(text, offsets, p):
    assert result(text, offsets, p) == []


CELL = {"seed": 1, "scope": "mono", "labels": "binary", "lang": "tr"}


def soft(*probabilities):
    """One span of a character each."""
    return [
        {"start": k, "end": k + 1, "type": "entity", "p": p}
        for k, p in enumerate(probabilities)
        if p is not None
    ]


def test_a_text_is_marked_above_the_threshold_and_says_how_it_was_read():
    texts = [Spans("a", soft(0.5)), Spans("b", soft(0.51), 3), Spans("c", [], 3, 2)]
    rows = judged_spans("d", "v", texts, labelled={"a", "b", "c"}, **CELL)
    validate(Judgement, rows, where="test")
    assert rows["verdict"].to_list() == [False, True, False]
    assert rows["p"].to_list() == [0.5, 0.51, 0.0]
    more = ({}, {"n_windows": 3}, {"n_windows": 3, "n_read": 1})
    assert rows["attributes"].to_list() == [pairs(**CELL, **windows) for windows in more]
    lower = judged_spans("d", "v", texts, labelled={"a", "b", "c"}, threshold=0.305, **CELL)
    assert lower["verdict"].to_list() == [True, True, False]
    assert lower["attributes"][0].to_list() == pairs(**CELL, threshold=0.305)
    assert lower["judgement_id"].to_list() == rows["judgement_id"].to_list()


def test_a_text_without_labels_keeps_what_is_marked_and_the_largest_probability():
    texts = [Spans("a", soft(0.2, 0.51, 0.5, 0.9)), Spans("b", soft(0.2))]
    rows = judged_spans("d", "v", texts, labelled=(), **CELL)
    assert rows["p"].to_list() == [0.9, 0.2]
    assert [[span["p"] for span in spans] for spans in rows["spans"].to_list()] == [[0.51, 0.9], []]


def test_nothing_learned_is_no_verdict():
    rows = not_fitted("d", "v", ["a"], **CELL)
    assert rows.select("verdict", "p", "status", "reason").row(0) == (None, None, "unparsed", "not-fitted")


# ---- labels ------------------------------------------------------------------------------------------------
TEXTS = {
    "en": "The town was {founded in 1899} by [nobody at all]. A fine place!",
    "de": "Die Stadt wurde {1899 gegründet}. [Sie heißt »Übermäßig«.] Schön.",
    "zh": "维尔莫拉镇{始建于1913年}，位于[托拉河]畔。",
    "ja": "その町は{１９１３年に}つくられた。[とても美しい]。",
    "ar": "تأسست البلدة {عام ١٨٩٩} على [نهر تولا] الجميل.",
    "he": "העיירה {נוסדה בשנת 1899} על גדות [נהר טולה].",
    "emoji": "Great 😀 {👩‍👩‍👧 founded} it [🇩🇪 in 1899]! 👍🏽",
    "tr": "Velmora'da {1899'da} kuruldu; [İstanbul'un] yakını.",
    "th": "เมืองนี้{ก่อตั้งขึ้น}ใน[ปี ๑๙๑๓]",
}


def read(marked):
    """A text with {…} for entity and [...] for invented, as text and spans."""
    text, spans = "", []
    for character in marked:
        if character in "{[":
            spans.append({"start": len(text), "end": 0, "type": "entity" if character == "{" else "invented"})
        elif character in "}]":
            spans[-1]["end"] = len(text)
        else:
            text += character
    return text, spans


def spans_of(text: str, offsets: np.ndarray, result: np.ndarray, labels) -> list[dict]:
    """Spans (`start`, `end`, `type`) of labelled tokens, in order: tokens of one label with only blank space
    between are one span.
    """
    spans: list[dict] = []
    for (start, end), label in zip(offsets.tolist(), result.tolist(), strict=True):
        if label <= 0 or start == end:
            continue
        last = spans[-1] if spans else None
        is_near = last and (start <= last["end"] or text[last["end"] : start].isspace())
        if is_near and last["type"] == labels[label]:
            last["end"] = max(last["end"], end)
        else:
            spans.append({"start": start, "end": end, "type": labels[label]})
    return spans


@pytest.mark.parametrize("lang", TEXTS)
@pytest.mark.parametrize("recorded", [True, False], ids=["words it knows", "bytes"])
def test_characters_to_tokens_to_characters_is_exact(lang, recorded):
    text, spans = read(TEXTS[lang])
    coder = tiny_coder([text] * 3 if recorded else ["some other words"], 900)
    ((_, offsets),) = coder.encode([text])
    assert spans_of(text, offsets, token_labels(text, offsets, spans, CATEGORY), CATEGORY) == spans


@pytest.mark.parametrize("lang", TEXTS)
def test_no_character_is_lost(lang):
    text, _ = read(TEXTS[lang])
    ((ids, offsets),) = tiny_coder(["some other words"], 400).encode([text])
    shown = {index for start, end in offsets for index in range(start, end)}
    assert shown == {index for index, character in enumerate(text) if not character.isspace()}
    assert len(ids) == len(offsets)


def test_what_a_tokenizer_drops_belongs_to_the_token_before_it():
    # ä and é as two characters each, of which an uncased vocabulary keeps the first; a joiner
    text = "na\u0308h te\u0301 \u200bx"
    offsets = np.array([(0, 1), (1, 2), (1, 2), (3, 4), (5, 6), (6, 7), (8, 8), (10, 11)])
    result = filled(text, offsets)
    assert result.tolist() == [[0, 1], [1, 3], [1, 3], [3, 4], [5, 6], [6, 8], [8, 8], [10, 11]]
    spans = [{"start": 0, "end": 4, "type": "entity"}, {"start": 5, "end": 8, "type": "invented"}]
    assert spans_of(text, result, token_labels(text, result, spans, CATEGORY), CATEGORY) == spans
    whole = np.array([(0, 4), (5, 8), (9, 11)])
    assert filled(text, whole).tolist() == whole.tolist()
    assert filled("", np.zeros((0, 2), np.int32)).shape == (0, 2)


def test_a_token_of_blank_space_does_not_count():
    text = "a  b"
    offsets = trimmed(text, [(0, 1), (1, 2), (2, 4)])
    spans = [{"start": 0, "end": 4, "type": "entity", "p": None}]
    assert token_labels(text, offsets, spans, BINARY).tolist() == [1, -100, 1]


def test_soft_spans_are_marked_above_one_half_and_the_first_of_two_wins():
    offsets = np.array([[0, 1], [1, 2], [2, 3]])
    soft = [{"start": 0, "end": 1, "type": None, "p": 0.5}, {"start": 1, "end": 2, "type": None, "p": 0.6}]
    assert token_labels("abc", offsets, soft, BINARY).tolist() == [0, 1, 0]
    two = [{"start": 1, "end": 3, "type": "invented"}, {"start": 0, "end": 2, "type": "entity"}]
    assert token_labels("abc", offsets, two, CATEGORY).tolist() == [1, 1, CATEGORY.index("invented")]


# ---- encode ------------------------------------------------------------------------------------------------
def test_what_looks_like_a_special_token_is_plain_text():
    code = tiny_coder([REFERENCE] * 3, 600)
    ((ids, _),) = code.encode(["<between> <start><pad>"])
    assert not {*code.start, *code.between, code.pad} & set(ids.tolist())


def test_a_coder_comes_back_from_disk(tmp_path):
    code = coder()
    code.save(tmp_path)
    repeated = Coder.load(tmp_path)
    assert (repeated.start, repeated.between, repeated.pad, repeated.n_words) == (
        code.start,
        code.between,
        code.pad,
        code.n_words,
    )
    texts = [*ANSWERS, "<start> x"]
    for (ids, offsets), (ids_again, offsets_again) in zip(
        code.encode(texts), repeated.encode(texts), strict=True
    ):
        assert ids.tolist() == ids_again.tolist() and offsets.tolist() == offsets_again.tolist()
    with pytest.raises(TruerateError, match="train the detector again"):
        Coder.load(tmp_path / "nowhere")


def test_a_backbone_brings_its_own_special_tokens(tmp_path):
    tokenizer = Tokenizer(
        models.WordLevel({"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "town": 4}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(tmp_path)
    code = pretrained_coder(str(tmp_path))
    assert (code.start, code.between, code.pad) == ((1,), (2,), 0)
    ((ids, offsets),) = code.encode(["a town"])
    assert ids.tolist() == [3, 4] and offsets.tolist() == [[0, 1], [2, 6]]


def test_an_uncased_vocabulary_loses_no_character_of_a_word(tmp_path):
    tokenizer = Tokenizer(
        models.WordPiece(
            {"[UNK]": 0, "n": 1, "##a": 2, "##h": 3, "e": 4, "[CLS]": 5, "[SEP]": 6}, unk_token="[UNK]"
        )
    )
    tokenizer.normalizer, tokenizer.pre_tokenizer = (
        normalizers.BertNormalizer(lowercase=True),
        pre_tokenizers.BertPreTokenizer(),
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]"
    ).save_pretrained(tmp_path)
    ((ids, offsets),) = pretrained_coder(str(tmp_path)).encode(["Na\u0308h e\u0301 \u00e9 \U0001f642\u7ef4"])
    assert ids.tolist() == [1, 2, 3, 4, 4, 0, 0]
    assert offsets.tolist() == [[0, 1], [1, 3], [3, 4], [5, 7], [8, 9], [10, 11], [11, 12]]
