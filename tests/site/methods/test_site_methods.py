"""The methods pages: every function under a subject, every line and every number of a board at its definition."""

import re
from dataclasses import replace
from html import unescape

import pytest
from tiny_site import SITE, tiny_site
from tiny_tables import DOCS, tiny_tables

from truerate import metrics
from truerate.core.errors import TruerateError
from truerate.site import render_site
from truerate.site.docs import function_docs
from truerate.site.methods.briefs import Brief, brief
from truerate.site.methods.pages import docs_by_subject, read_subjects

FUNCTIONS = function_docs(metrics.__path__[0])
SUBJECTS = read_subjects(SITE / "subjects.yaml")
LINK = re.compile(r'href="(?:\.|\.\.)?/?(methods[\w-]*)\.html#([\w-]+)"')


def test_every_public_function_has_one_subject_and_every_subject_functions():
    by_subject = docs_by_subject(FUNCTIONS, SUBJECTS)
    assert list(by_subject) == list(SUBJECTS)
    listed = [(doc["module"], doc["name"]) for _, docs in by_subject.values() for doc in docs]
    assert sorted(listed) == sorted((doc["module"], doc["name"]) for doc in FUNCTIONS)
    assert {module for subject in SUBJECTS.values() for module in subject.modules} == {
        doc["module"] for doc in FUNCTIONS
    }


@pytest.mark.parametrize(
    ("docs", "subjects", "n"),
    [([{"module": "new"}], SUBJECTS, 0), ([], {**SUBJECTS, "twice": SUBJECTS["tests"]}, 2)],
)
def test_a_module_without_one_subject_is_one_line(docs, subjects, n):
    with pytest.raises(TruerateError, match=f"stands under {n} subjects; name it under one"):
        docs_by_subject(docs, subjects)


def test_every_link_to_a_definition_lands_on_it():
    """On a number of a board, a line of the index, a section of a protocol."""
    tables = replace(tiny_tables(), metric_docs=FUNCTIONS)
    pages = {name: unescape(text) for name, text in render_site(tables, SITE).items() if name.endswith(".md")}
    links = {link for text in pages.values() for link in LINK.findall(text)}
    assert len(links) > len(FUNCTIONS)
    for page, anchor in links:
        text = pages[f"{page}.md"]
        assert text.count(f'id="{anchor}"') + text.count(f"{{ #{anchor} }}") == 1, (page, anchor)
        if page != "methods":
            assert f'id="{anchor}"' in pages["methods.md"], anchor  # an address of the index leads there, too


def test_the_index_names_no_module_and_the_pages_hold_the_formulas():
    pages = {name: unescape(text) for name, text in tiny_site().items() if name.startswith("methods")}
    assert not re.search(r"^#+ (Recognition|Paired)\b", pages["methods.md"], re.M)
    assert "accuracy = (tp + tn) / n" in pages["methods-recognition.md"]
    assert DOCS[1]["doc"] in pages["methods-tests.md"] and "Holm 1979" in pages["methods.md"]


@pytest.mark.parametrize(
    ("doc", "line"),
    [
        ("Cohen's κ of two raters (Cohen 1960). In [−1, 1].", Brief("Cohen's κ of two raters", "[−1, 1]", "Cohen 1960")),
        ("Return the share of x, in [0, 1]; None over nothing.", Brief("The share of x; None over nothing", "[0, 1]")),
        ("mFAVA Eq. 1: p · d. May exceed 1.", Brief("mFAVA Eq. 1: p · d", "", "mFAVA Eq. 1")),
        ("Draws by a score in [0, 1] (Brown, Cai & DasGupta 2001; Wei et al. 2024).",
         Brief("Draws by a score in [0, 1]", "", "Brown, Cai & DasGupta 2001; Wei et al. 2024")),
        ("Holm's adjusted p-values (1979).\n\nMore.", Brief("Holm's adjusted p-values", "", "Holm 1979")),
        ("", Brief("")),
    ],
)  # fmt: skip
def test_a_docstring_in_one_line(doc, line):
    assert brief(doc) == line
