"""The authors and the year that a citation names, and names of publishers in an entry."""

import pytest

from truerate.core.bibtex import authors_of, entry, year_of


@pytest.mark.parametrize(
    ("citation", "authors"),
    (
        ("N. Dziri, E. M. Ponti, J.-Y. Nie. A Set. TACL 2022.", ["N. Dziri", "E. M. Ponti", "J.-Y. Nie"]),
        (
            "S. O. ul Islam, A. Lauscher and G. Glavaš. A Set. 2025.",
            ["S. O. ul Islam", "A. Lauscher", "G. Glavaš"],
        ),
        ("R. Vázquez, T. Mickus, et al. SemEval-2025.", ["R. Vázquez", "T. Mickus", "others"]),
        ("Vectara. Hallucination leaderboard.", ["Vectara"]),
        ("Li, J., & Wen, J.-R. (2023). A Set.", []),
        ("The answers of somebody's own file with labels. Whatever.", []),
        ("Somebody 2025", []),
        ("", []),
    ),
)
def test_authors_stand_at_the_head_of_a_citation_or_nowhere(citation, authors):
    assert authors_of(citation) == authors


def test_a_publisher_stands_in_braces_and_nothing_of_a_name_ends_the_entry():
    assert "author = {A. One and {Some Lab} and others}," in entry(
        "k", authors=["A. One", "Some Lab", "others"]
    )
    assert "author = {A. One title = x and R\\&D}," in entry(
        "k", authors=["A. One} title = {x", "R&D"]
    ).replace("{R\\&D}", "R\\&D")
    assert entry("k", title="a~b^c") == "@misc{k,\n  title = {a\\~{}b\\^{}c},\n}"


def test_the_year_is_the_first_text_s_that_has_one():
    assert (year_of("", "arXiv:2305.11747, 2023"), year_of("2025-03", "2023"), year_of("12345")) == (
        "2023",
        "2025",
        "",
    )
