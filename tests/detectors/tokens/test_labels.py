import numpy as np
import pytest

from truerate.detectors.tokens.encode import tiny_coder
from truerate.detectors.tokens.span_probabilities import BINARY, CATEGORY, filled, token_labels, trimmed

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
        if (
            last
            and last["type"] == labels[label]
            and (start <= last["end"] or text[last["end"] : start].isspace())
        ):
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
    assert filled(text, whole).tolist() == whole.tolist() and filled(
        "", np.zeros((0, 2), np.int32)
    ).shape == (0, 2)


def test_a_token_of_blank_space_does_not_count():
    text = "a  b"
    offsets = trimmed(text, [(0, 1), (1, 2), (2, 4)])
    assert token_labels(
        text, offsets, [{"start": 0, "end": 4, "type": "entity", "p": None}], BINARY
    ).tolist() == [1, -100, 1]


def test_soft_spans_are_marked_above_one_half_and_the_first_of_two_wins():
    offsets = np.array([[0, 1], [1, 2], [2, 3]])
    soft = [{"start": 0, "end": 1, "type": None, "p": 0.5}, {"start": 1, "end": 2, "type": None, "p": 0.6}]
    assert token_labels("abc", offsets, soft, BINARY).tolist() == [0, 1, 0]
    two = [{"start": 1, "end": 3, "type": "invented"}, {"start": 0, "end": 2, "type": "entity"}]
    assert token_labels("abc", offsets, two, CATEGORY).tolist() == [1, 1, CATEGORY.index("invented")]
