import random
import time

import pytest

from truerate.core.sentence_spans import sentence_spans

TEXT = 'Varn is a town. It lies on the Odla!  "Is it old?" Yes: from 1204.\nIts market\n\nhas cheese 町。城。'


def split(text: str, lang: str | None = None, *, by_line: bool = False) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, lang, by_line=by_line)]


def test_sentences_and_lines_are_spans_of_the_text():
    assert split(TEXT, by_line=True) == [
        "Varn is a town.",
        "It lies on the Odla!",
        '"Is it old?"',
        "Yes: from 1204.",
        "Its market",
        "has cheese 町。",
        "城。",
    ]
    assert sentence_spans(" \n ") == sentence_spans("") == []


@pytest.mark.parametrize(
    "marked",  # a bar where a sentence ends
    [
        "Gen. Omar Bradley met Atty. Gen. Xavier Becerra.| Lt. Col. James Finch did not.",
        "He studied under R. A. Fisher.| J.R.R. Tolkien did not.",
        "It costs approx. $5 vs. $7 in vol. 3, p. 12.| See Fig. 3 and Eq. 4.",
        "Node.js and ASP.NET run on example.com.| Jeopardy! is a game show.",
        "It is old.[1][2]| Founded in 1102,[3] it has a market.| It is big. [4]",
        "(It was closed in 1990.)| It reopened… He left.".replace("… ", "…| "),
        '"Where are you?" he asked.| "Here."',
        "He teaches (he was an engineer before.) at the university.",
        "The first is 5'10\" tall.| The second is 6'2\" tall.| Both play.",
        "It was sold.| eBay bought it.",
        "the ball was lost .| the NFL has no rule .",
        "In 1880.[7]| The anthrax bacillus and its vaccine.",
    ],
)
def test_english(marked):
    assert split(marked.replace("|", "")) == [part.strip() for part in marked.split("|")]


@pytest.mark.parametrize(
    ("lang", "marked"),
    [
        ("de", "Das gilt z. B. für Obst, d. h. Äpfel usw. und Birnen.| Im 19. Jahrhundert kam Hrn. Weiß an."),
        ("fr", "J.-J. Rousseau est né à Genève.| M. Hugo est né en 1802.| « Où es-tu ? » demanda-t-il."),
        ("es", "¿Dónde estás?| EE. UU. es un país.| Véase la pág. 12."),
        ("cs", "Narodil se 3. října 1950 v Praze.| Byl to např. prof. Novák."),
        ("pl", "Mieszkał przy ul. Długiej, m.in. z Janem.| Zmarł w 1900 r."),
        ("ru", "Он родился в 1850 г. в г. Москве.| А. С. Пушкин, напр. там жил.| «Где ты?» — спросил он."),
        ("el", "Πού είσαι;| Ο κ. Παπαδόπουλος ήρθε."),
        ("ar", "أين أنت؟| أنا هنا.| هو في البيت!"),
        ("ur", "وہ لاہور میں پیدا ہوا۔| کیا وہ آئے گا؟"),
        ("hi", "डॉ. राजेन्द्र प्रसाद राष्ट्रपति थे।| इसकी जनसंख्या 3.5 लाख है।"),
        ("bn", "ড. ইউনূস একজন অর্থনীতিবিদ।| তিনি নোবেল পান।"),
        ("am", "እሱ በአዲስ አበባ ተወለደ።| አሁን እዚያ ይኖራል።"),
        ("zh", "他说：“我来了。”|然后他走了。|人口为3.5万。|他在U.S.工作。"),
        ("ja", "「どこにいますか。」と彼は聞いた。|彼女は「ここです」と答えた。"),
        ("ko", "인구는 3.5만 명이다.| 면적은 1.2 km²이다."),
    ],
)
def test_other_languages_with_their_code_and_by_their_script(lang, marked):
    parts = [part.strip() for part in marked.split("|")]
    assert split(marked.replace("|", ""), lang) == parts
    if lang not in ("de", "fr", "es", "cs", "pl"):  # Latin letters name no language
        assert split(marked.replace("|", "")) == parts


def test_odd_texts_are_covered_in_order_whatever_stands_in_them():
    """Blank space of several bytes behind an initial makes the library panic where it is handed on as it stands."""
    draws = random.Random(1)
    signs = [
        *"abAB .!?。？\n\r\t\"'”“)(«»「」1-:…\xa0\u3000\x85\u2028 𠮷é؟।İ\ud800\u0301",
        "Dr. ",
        "J.\u3000",
        " É. ",
        "[1]",
        "\n- ",
        ". . ",
    ]
    for _ in range(3000):
        text = "".join(draws.choices(signs, k=draws.randrange(1, 40)))
        for lang in (None, "ja", "hi", "xx"):
            spans = sentence_spans(text, lang)
            ends = [0, *(place for span in spans for place in span), len(text)]
            assert ends == sorted(ends) and all(start < end for start, end in spans)
            assert not "".join(text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)).strip()


@pytest.mark.parametrize(
    "part",
    ["a. ", "(", '"a. ', ".", "\n", "Dr. ", "“Ab. ", "1. ", "a.[1]", " ", "\n- a", ". .", "\n \n", "A.B."],
)
def test_cost_grows_with_the_length_of_a_text(part):
    start = time.process_time()
    sentence_spans(part * (300_000 // len(part)) + "x")
    assert time.process_time() - start < 5  # quadratic: minutes
