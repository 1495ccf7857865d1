"""Values in cards: shown as they are, on one line, acting nowhere."""

import pytest
from markdown_it import MarkdownIt
from markupsafe import Markup

from truerate.hub.markdown import code, inert, linked

RENDER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render
TEXTS = (
    *(
        "plain words, 3.5 %", "# heading", "- item", "+ item", "1. item", "12) item", "* star", "> quote",
        "=====", "***", "---", "```",
    ),
    *(
        "~~gone~~", "`code`", "a_b_c __d__", "<b>bold</b> <!-- x -->", "<http://a.example>",
        "&lt;b&gt; &#60; &copy;", "    indented",
    ),
    *(
        "[a](http://b.example) ![i](j)", "[^1]: note", "[a]: http://b.example", r"back\slash \* \( \\(",
        "| a | b |", "a  \nb", "$$x$$",
    ),
    "{{ 7 * 7 }} {% raw %}",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_value_reads_as_itself_at_the_beginning_of_a_line(text):
    html = RENDER(str(inert(text)))
    shown = (
        " ".join(text.split())
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )
    assert html == f"<p>{shown}</p>\n"


@pytest.mark.parametrize("text", TEXTS)
def test_a_value_is_one_cell_of_a_table(text):
    html = RENDER(f"| a | b |\n| --- | --- |\n| {inert(text)} | x |\n")
    shown = (
        " ".join(text.split())
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )
    assert f"<td>{shown}</td>\n<td>x</td>" in html


def test_addresses_names_and_formulas_are_broken_up():
    """What a plain CommonMark reader leaves alone, and the Hub's does not."""
    assert inert("https://a.example www.a.example @someone $$x$$ \\(y\\)") == (
        r"https\://a.example www\.a.example \@someone \$\$x\$\$ &#92;(y&#92;)"
    )


def test_what_is_not_seen_is_left_out_and_nothing_is_a_dash():
    assert inert("a\u202eb\x00c") == "abc" and inert(None) == "–" and inert("") == ""
    assert inert(0.5) == "0.5" and inert(Markup("**ours**")) == "**ours**"


def test_only_plain_addresses_are_linked():
    assert linked("a_b", "https://a.example/b?c=d#e") == r"[a\_b](<https://a.example/b?c=d#e>)"
    for address in (
        None,
        "",
        "javascript:alert(1)",
        "https://a.example/>x",
        "https://a.example b",
        "https://a.example\n",
        "ftp://a.example",
        "https://a@b.example",
    ):
        assert linked("a", address) == "a", address


def test_code_keeps_names_and_paths_and_nothing_that_ends_a_span():
    assert code("org/na-me_1.0") == "org/na-me_1.0" and code('a`b"c\n|<') == "abc"
