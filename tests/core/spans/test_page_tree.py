"""What a page says by markup alone stands in its text, in all three readers."""

import pytest

from tests.cases import case_table
from truerate.sources.raw.wiki_pages import article
from truerate.web.extract import of_markup

FILL = "The town of Elm lies by a wide river and was built by fishers a long time ago. " * 6


def math(inside):
    """A formula with its TeX beside it, as converters write it."""
    tex = "<annotation encoding='application/x-tex'>TEX^2</annotation>"
    return f"<math alttext='TEX^2'><semantics><mrow>{inside}</mrow>{tex}</semantics></math>"


CASES = [
    *case_table(__file__)["cases"],
    (f"the {math('<msup><mi>x</mi><mn>2</mn></msup>')} so", "the x² so"),
    (f"{math('<mfrac><mn>1</mn><mn>2</mn></mfrac>')} so", "1/2 so"),
    (f"{math('<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>')} so", "H₂O so"),
    (f"{math('<msup><mi>e</mi><mi>x</mi></msup>')} so", "e^x so"),
    (f"{math('<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac>')} so", "(a+1)/b so"),
    (f"{math('<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>')} so", "E = mc² so"),
    (
        f"{math('<msqrt><mi>x</mi></msqrt><mo>&lt;</mo><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>')} so",
        "√x < x_i² so",
    ),
    (f"{math('<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>')} so", "sin x so"),
    (
        f"<span class='katex'><span class='katex-mathml'>{math('<msup><mi>x</mi><mn>2</mn></msup>')}</span><span class='katex-html'"
        " aria-hidden='true'><span>x</span><span>2</span></span></span> so",
        "x² so",
    ),
]


@pytest.mark.parametrize(("markup", "expected"), CASES)
def test_meaning_is_kept(markup, expected):
    for body in (
        f"<p>It was {markup}. {FILL}</p>",
        f"<table><tr><td>Then</td><td>It was {markup}.</td></tr></table>",
    ):
        assert all(f"It was {expected}." in text for text in _read(body))


def test_what_a_class_of_the_page_strikes_out_is_no_evidence():
    sheet = "<style>p{color:red} .old, span.gone { text-decoration: red line-through; } .on{text-decoration:underline}</style>"
    inside = "in <span class='x old'>1733</span> <span class='gone'>1501</span> <i class='on gone'>1412</i>"
    for text in _read(f"<p>It was {inside}. {FILL}</p>", head=sheet):
        assert "in 1412" in text and "1733" not in text and "1501" not in text


def test_what_parts_lines_parts_the_words_of_a_cell():
    for cell in (
        "one<br/>two",
        "<p>one</p><p>two</p>",
        "<ul><li>one</li><li>two</li></ul>",
        "<div>one</div>two",
    ):
        for text in _read(f"<table><tr><td>It was</td><td>{cell}</td></tr></table>"):
            assert "one two" in text


def test_what_is_struck_out_in_a_table_is_no_evidence():
    row = "<tr><td>Built</td><td>in <del>1733</del> <ins>1412</ins> <span style='text-decoration:line-through red'>1501</span></td></tr>"
    for text in _read(f"<table>{row}</table>"):
        assert "in 1412" in text and "1733" not in text and "1501" not in text


def _read(body, *, head=""):
    """The text of a page with a part, by each of the three readers."""
    inside = f"<p>{FILL}</p>{body}<p>{FILL}</p>"
    inside = f"<div class='mw-parser-output'>{inside}</div>"
    page = (
        f"<html lang='en'><head>{head}</head><body>{inside}<script>\"wgRevisionId\":7</script></body></html>"
    )
    texts = (*(of_markup(page, how).text for how in ("main", "tags")), article(page.encode())["text"])
    return [" ".join(text.split()) for text in texts]
