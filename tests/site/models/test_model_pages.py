"""The page of a real model: where it stands on each board, its slices, and every name it bears."""

import re
from html import unescape

import pytest
from test_site_render import Elements
from tiny_results import HOSTILE, SCORES, write_results
from tiny_site import site_of, tables_of

from truerate.results.read import real_boards
from truerate.site.models.aliases import Aliases
from truerate.site.overview import models_of
from truerate.site.safety import slug

ALIASES = {
    "makers": {"Org": ["org"]},
    "models": [
        {
            "name": "beta", "maker": "Org", "weights": "open", "billions": 7.5, "launched": "2024-07",
            "names": [{"name": "gamma", "boards": ["other"], "why": "renamed", "setting": "reasoning: low"}],
            "see": [{"model": "alpha", "why": "nobody says so"}],
        }
    ],
}  # fmt: skip
SLICES = [
    "made_up_rate,beta,model,task=bad,0.900000,0.600000,0.950000,2,,,aa",
    "made_up_rate,beta,model,task=good,0.000000,0.000000,0.100000,2,,,aa",
    "made_up_rate,beta,model,rule=strict,1.000000,0.900000,1.000000,2,,,aa",
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("results")
    place = write_results(folder, dated="2024-05")
    (place / "scores.csv").write_text(
        (place / "scores.csv").read_text("utf-8") + "\n".join(SLICES) + "\n", "utf-8"
    )
    write_results(folder, "other", title="Other replies", labelled_by="people", judge=None, judges_own=[])
    return site_of(n=1, real=real_boards(folder), aliases=Aliases(**ALIASES), max_samples=1)


def rows_of(page: str) -> list[str]:
    lines = re.findall(r"<tr[ >].*?</tr>", page)
    return [" ".join(Elements(line).text.split()) for line in lines]


def test_a_model_stands_on_each_board_with_value_interval_n_and_rank(pages):
    page = pages["models/real/beta.md"]
    first, second, third = rows_of(page)[1:4]
    for text in ("Judged replies", "1–3 of 4", "25.0", "5.0 to 70.0", "judge-1", "May 2024"):
        assert text in first, text
    assert "Other replies" in second and "people" in second
    assert "Other replies" in third and "reasoning: low" in third, "gamma is a setting of it there"
    assert "⚑" in first and "⚑" not in second
    assert "../../real/judged.html#subject=beta" in unescape(page)


def test_its_facts_stand_at_the_head_and_what_is_not_published_is_said(pages):
    text = Elements(pages["models/real/beta.md"]).text
    for fact in ("Org", "open", "7.5 billion", "July 2024", "May be the same as alpha: nobody says so."):
        assert fact in text, fact
    assert "not published" in Elements(pages["models/real/alpha.md"]).text
    assert "7.5" in Elements(pages["models.md"]).text


def test_every_name_and_its_reason_stands_where_the_search_reads(pages):
    page = pages["models/real/beta.md"]
    searched = re.sub(r'<div class="tr-scroll.*?</table>', "", page)
    assert "gamma" in searched and "renamed" in searched
    assert "gamma" not in rows_of(page)[0]


def test_slices_are_weak_or_strong_where_their_whole_interval_is_and_other_rules_are_none(pages):
    lines = [line for line in rows_of(pages["models/real/beta.md"]) if line.startswith("task")]
    assert [line.split("25.0")[0] for line in lines] == ["task: badweak", "task: goodstrong"]
    assert "rule: strict" not in Elements(pages["models/real/beta.md"]).text
    assert "#subject=beta&slice=task%3Dbad" in unescape(pages["models/real/beta.md"])


def test_a_model_without_slices_has_no_such_section(pages):
    assert 'id="slices"' not in pages["models/real/gamma.md"]


def test_names_on_a_boards_page_lead_to_the_model(pages):
    assert '<a class="tr-name" href="../models/real/beta.html">beta</a>' in unescape(pages["real/judged.md"])
    assert '<a class="tr-name" href="../models/real/beta.html">gamma</a>' in unescape(pages["real/other.md"])


def test_a_hostile_name_has_a_page_that_nothing_acts_on(pages):
    page = pages[f"models/real/{slug(HOSTILE)}.md"]
    assert "<script" not in page and "{{" not in page
    assert "evil" in page and HOSTILE in SCORES[3]


def test_a_simulated_model_of_the_same_name_keeps_its_page(tmp_path):
    name = models_of(tables_of(n=1))[0]
    write_results(tmp_path, gamma=name)
    made = site_of(n=1, real=real_boards(tmp_path), max_samples=1)
    assert f"models/{slug(name)}.md" in made and f"models/real/{slug(name)}.md" in made
    assert "closed, fictional world" in made[f"models/{slug(name)}.md"].lower()
    assert "fictional" not in made[f"models/real/{slug(name)}.md"]
