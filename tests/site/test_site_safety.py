"""Text that nobody vouches for."""

import html
import json

import pytest
from markupsafe import Markup
from tiny_halueval import HOSTILE

from truerate.site.safety import coded, csv_text, inert, plain, script, slug


@pytest.mark.parametrize("text", HOSTILE)
def test_inert_text_has_no_live_character_and_one_line(text):
    made = str(inert(text))
    bare = made.replace('<span class="tr-chip" title="invisible character">', "").replace("</span>", "")
    assert not set("<>\"'`*_{}[]()|~\\\n") & set(bare)


def test_inert_is_exact_for_visible_text():
    assert html.unescape(str(inert("a<b> & [c](d)\n`e`"))) == "a<b> & [c](d)\n`e`"


def test_code_between_backticks_is_code_and_all_else_is_inert():
    assert coded("run `a <b>`, *now*") == "run <code>a &#60;b&#62;</code>, &#42;now&#42;"
    assert "`" not in coded("one ` alone")


def test_hidden_characters_become_chips():
    assert (
        "U&#43;202E" in inert("\u202e")
        and "U&#43;0000" in inert("\x00")
        and "\u202e" not in inert("a\u202eb")
    )


def test_markup_and_numbers_pass_none_is_empty():
    assert inert(Markup("<b>")) == "<b>" and inert(0.5) == "0.5" and inert(None) == ""


def test_plain_has_nothing_that_a_page_head_acts_on():
    assert plain('</title><script>"x"\u202e') == "/title  script  x U+202E"


def test_slug():
    assert slug("HaluEval: on ★ the World") == "halueval-on-the-world" and slug("★") == "x"


def test_a_data_script_cannot_end_its_element():
    made = script("call", {"a": "</script>\u2028\u2029"})
    assert (
        "<" not in made and "\u2028" not in made and json.loads(made[5:-3]) == {"a": "</script>\u2028\u2029"}
    )


def test_csv_guards_formulas_and_quotes():
    assert csv_text(["a", "b"], [["=1+1", 'x,"y"'], [-1.5, None]]) == 'a,b\n\'=1+1,"x,""y"""\n-1.5,\n'
