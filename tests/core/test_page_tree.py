"""What a page says by markup alone stands in its text, in all three readers."""

import pytest

from truerate.sources.wiki_pages import article
from truerate.web.extract import of_markup

FILL = "The town of Elm lies by a wide river and was built by fishers a long time ago. " * 6
CASES = [
    ("10<sup>6</sup> people", "10⁶ people"), ("10<sup>-24</sup> kg", "10⁻²⁴ kg"), ("2<sup><i>n</i></sup> ways", "2ⁿ ways"),
    ("a 1<sup>1</sup>/<sub>2</sub> mile", "a 1 ¹/₂ mile"), ("H<sub>2</sub>O here", "H₂O here"), ("its 1<sup>st</sup> wall", "its 1st wall"),
    ("10<sup>2k</sup> ways", "10^2k ways"), ("holds 5<sup><a href='#n1'>1</a></sup> men", "holds 5 men"),
    ("holds 5<sup class='reference'>[1]</sup> men", "holds 5 men"), ("in <del>1733</del> <ins>1412</ins> so", "in 1412 so"),
    ("with <s>a fort</s> a port", "with a port"), ("a <strike>big</strike> port", "a port"),
    ("a <span style='text-decoration: line-through'>big</span> port", "a port"),
    ("the <ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby> sign", "the 漢字 sign"),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), CASES)
def test_meaning_is_kept(markup, expected):
    body = f"<p>{FILL}</p><p>It was {markup}. {FILL}</p>"
    page = f"<html lang='en'><body><div class='mw-parser-output'>{body}</div><script>\"wgRevisionId\":7</script></body></html>"
    for text in (*(of_markup(page, how).text for how in ("main", "tags")), article(page.encode())["text"]):
        assert f"It was {expected}." in " ".join(text.split())
