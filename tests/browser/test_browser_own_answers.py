"""The report on a person's own answers in a browser, opened from a file: filtered, searched, lengthened, in both schemes."""

import json

import pytest

from truerate.answers.page import write_page
from truerate.answers.rating import rate

from .accessibility import axe

HOSTILE = "</script><script>document.title = 'x'</script><b>Kell</b> of Brimm 1999"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """120 answers of two systems, every third with words that its reference lacks, sixty labelled."""
    folder = tmp_path_factory.mktemp("own")
    held = "The mill of Orvane was built by Ilse Tarn."
    rows = [
        {
            "id": f"q{number}",
            "answer": HOSTILE if number % 3 == 0 else held,
            "reference": held,
            "question": f"Who built it? {number}",
            "system": ("larch", "rowan")[number % 2],
            **({"is_hallucinated": number % 3 == 0} if number < 60 else {}),
        }
        for number in range(120)
    ]
    file = folder / "answers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return write_page(rate(file, detector="word-support"), folder / "page")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_answers_are_filtered_searched_and_never_run(chromium, report, scheme):
    page = chromium.new_page(color_scheme=scheme)
    page.goto(report.as_uri())
    assert page.inner_text("#count") == "120 of 120 answers" and page.locator("article").count() == 50
    assert page.title() == "How much of these answers is hallucinated"
    assert page.locator("article").first.inner_text().endswith(HOSTILE)
    page.select_option("select[data-key=said]", "not flagged")
    assert page.inner_text("#count") == "80 of 120 answers"
    page.select_option("select[data-key=people]", "sound")
    page.select_option("select[data-key=system]", "larch")
    assert page.inner_text("#count") == "20 of 120 answers"
    page.fill("#search", "q58 TARN")
    assert page.inner_text("#count") == "1 of 120 answers"
    page.close()
    page = chromium.new_page(color_scheme=scheme, bypass_csp=True)  # whose policy lets no other script in
    page.goto(report.as_uri())
    assert axe(page, scheme) == []
    page.close()
