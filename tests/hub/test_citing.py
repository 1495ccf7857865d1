"""BibTeX entries hold their values as data: nothing in a title ends an entry or the block that shows it."""

from truerate.core.bibtex import bibtex_of_paper, entry
from truerate.core.card import Card, Ranked
from truerate.hub.markdown import bibtex


def test_an_entry_has_a_plain_key_and_no_brace_of_a_value():
    assert entry("Org/My board", title="A } of\n``` {x} \\input", note="R&D at 5 %") == (
        "@misc{org-my-board,\n  title = {A of x input},\n  note = {R\\&D at 5 \\%},\n}"
    )


def test_a_repository_and_a_paper():
    assert "howpublished = {https://huggingface.co/datasets/org/name}" in bibtex("org/name", "T", "dataset")
    assert "howpublished = {https://huggingface.co/org/name}" in bibtex("org/name", "T", "model")
    card = Card(
        name="small",
        title="Small",
        paper="On smallness",
        citation="Ones, A. (2024). On smallness. arXiv:2401.01234.",
        url="https://arxiv.org/abs/2401.01234",
        summary="Small.",
        tasks={},
        steps=(),
        ranks=Ranked("m", {}, "w"),
    )
    words = bibtex_of_paper(card)
    assert (
        words.startswith("@misc{small,")
        and "eprint = {2401.01234}," in words
        and "archiveprefix = {arXiv}," in words
    )
