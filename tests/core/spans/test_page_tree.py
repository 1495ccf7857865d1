"""What a page says by markup alone stands in its text, in all three readers."""

import pytest

from truerate.sources.raw.wiki_pages import article
from truerate.web.extract import of_markup

FILL = "The town of Elm lies by a wide river and was built by fishers a long time ago. " * 6


def math(inside):
    """A formula with its TeX beside it, as converters write it."""
    tex = "<annotation encoding='application/x-tex'>TEX^2</annotation>"
    return f"<math alttext='TEX^2'><semantics><mrow>{inside}</mrow>{tex}</semantics></math>"


CASES = [
    ("10<sup>6</sup> people", "10⁶ people"), ("10<sup>-24</sup> kg", "10⁻²⁴ kg"), ("2<sup><i>n</i></sup> ways", "2ⁿ ways"),
    ("a 1<sup>1</sup>/<sub>2</sub> mile", "a 1 ¹/₂ mile"), ("H<sub>2</sub>O here", "H₂O here"),
    ("its 1<sup>st</sup> wall", "its 1st wall"),
    ("10<sup>2k</sup> ways", "10^2k ways"), ("holds 5<sup><a href='#n1'>1</a></sup> men", "holds 5 men"),
    ("holds 5<sup class='reference'>[1]</sup> men", "holds 5 men"), ("in <del>1733</del> <ins>1412</ins> so", "in 1412 so"),
    ("with <s>a fort</s> a port", "with a port"), ("a <strike>big</strike> port", "a port"),
    ("a <span style='text-decoration: line-through'>big</span> port", "a port"),
    ("the <ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby> sign", "the 漢字 sign"),
    # breaks part words, places where a line may break do not
    ("one<br>two", "one two"), ("built&shy;ing", "builting"), ("un<wbr>broken", "unbroken"), ("zero&#8203;width", "zerowidth"),
    ("می&zwnj;خواهم", "می\u200cخواهم"), ("ශ්&zwj;රී", "ශ්\u200dරී"),
    ("as <q>the wall</q> says", "as “the wall” says"), ("as <q>say <q>no</q> so</q> says", "as “say ‘no’ so” says"),
    ("as <q>“so”</q> says", "as “so” says"), ("the <abbr title='World Health Organization'>WHO</abbr> office", "the WHO office"),
    # numbers set high behind a word, a stop, a quotation or a bracket of words are marks of notes
    ("built long.<sup>3</sup> Then", "built long. Then"), ("the wall<sup>12</sup> stands", "the wall stands"),
    ("the wall<sup>1,2</sup> so", "the wall so"), ("the wall <sup>3</sup> stands", "the wall stands"),
    ("“so.”<sup>4</sup> Then", "“so.” Then"),
    ("in <b>Elm</b><sup>2</sup> so", "in Elm so"), ("the hall (of Elm)<sup>2</sup> so", "the hall (of Elm) so"),
    ("是首都<sup>3</sup>。", "是首都。"),
    ("в города<sup>4</sup> so", "в города so"), ("दिल्ली<sup>2</sup> में", "दिल्ली में"), ("the NATO<sup>5</sup> camp", "the NATO camp"),
    # letters, too, but no ordinals and abbreviations
    ("the wall<sup>a</sup> stands", "the wall stands"), ("stands there.<sup>b</sup> Then", "stands there. Then"),
    ("the XVI<sup>e</sup> wall", "the XVIe wall"), ("the Prof.<sup>a</sup> Silva", "the Prof.a Silva"),
    ("the 3<sup>a</sup> wall", "the 3a wall"), ("by M<sup>e</sup> Ito", "by Me Ito"),
    # behind a digit, a unit, a symbol or a bracket of such they are powers
    ("5 km<sup>2</sup> wide", "5 km² wide"), ("E = mc<sup>2</sup> so", "E = mc² so"), ("x<sup>2</sup> so", "x² so"),
    ("4 m s<sup>-1</sup>", "4 m s⁻¹"),
    ("1 kg/m<sup>3</sup> so", "1 kg/m³ so"), ("W/(m<sup>2</sup>·K)", "W/(m²·K)"), ("(x + 1)<sup>2</sup> so", "(x + 1)² so"),
    ("<i>r</i><sup>2</sup> so", "r² so"), ("2π<i>r</i><sup>3</sup> so", "2πr³ so"), ("5 км<sup>2</sup> so", "5 км² so"),
    ("5 किमी<sup>2</sup> so", "5 किमी² so"), ("5平方米<sup>2</sup> so", "5平方米² so"), ("sin<sup>2</sup> x", "sin² x"),
    ("in 1990<sup>3</sup>", "in 1990³"),
    ("<sup>14</sup>C so", "¹⁴C so"), ("Ca<sup>2+</sup> so", "Ca²⁺ so"), ("CO<sub>2</sub> so", "CO₂ so"),
    ("10<sup>6</sup>–10<sup>9</sup>", "10⁶–10⁹"),
    # formulas
    (f"the {math('<msup><mi>x</mi><mn>2</mn></msup>')} so", "the x² so"), (f"{math('<mfrac><mn>1</mn><mn>2</mn></mfrac>')} so", "1/2 so"),
    (f"{math('<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>')} so", "H₂O so"),
    (f"{math('<msup><mi>e</mi><mi>x</mi></msup>')} so", "e^x so"),
    (f"{math('<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac>')} so", "(a+1)/b so"),
    (f"{math('<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>')} so", "E = mc² so"),
    (f"{math('<msqrt><mi>x</mi></msqrt><mo>&lt;</mo><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>')} so", "√x < x_i² so"),
    (f"{math('<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>')} so", "sin x so"),
    ("<math alttext='{\\displaystyle 10^{6}+{\\frac {1}{2}}}'></math> so", "10⁶+1/2 so"),
    ("<span class='mwe-math-element'><span style='display: none;'><math alttext='10^{6}'><semantics><msup><mn>10</mn><mn>6</mn></msup>"
     "<annotation encoding='application/x-tex'>10^{6}</annotation></semantics></math></span><img class='mwe-math-fallback-image-inline'"
     " alt='10^{6}'></span> so", "10⁶ so"),
    ("<img class='mwe-math-fallback-image-inline' alt='{\\displaystyle 10^{6}}'> so", "10⁶ so"),
    (f"<span class='katex'><span class='katex-mathml'>{math('<msup><mi>x</mi><mn>2</mn></msup>')}</span><span class='katex-html'"
     " aria-hidden='true'><span>x</span><span>2</span></span></span> so", "x² so"),
]  # fmt: skip


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
