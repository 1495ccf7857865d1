"""The card of a data set: what the Hub takes, what it says of the data, and that no source acts in it."""

import json

import mlcroissant
import polars as pl
import yaml
from huggingface_hub import DatasetCard, HfApi

from tests.hub import small_board as small
from tests.hub.drafts import laid
from tests.hub.server.cards import faults_of, warnings_of
from tests.hub.small_release import REPO, draft, files
from truerate.hub.kept import BEGIN, END
from truerate.hub.licences import LICENCES


# ---- the card ----------------------------------------------------------------------------------------------
def test_the_hub_takes_the_card(folder, small_files):
    readme = small_files["README.md"].decode()
    assert faults_of(readme, kind="dataset") == [] and warnings_of(readme, kind="dataset") == []
    data = DatasetCard.load(f"{folder}/README.md").data
    assert (data.license, data.language, data.pretty_name) == (
        "mit",
        ["en", "no"],
        "HaluEval on little questions",
    )
    assert data.size_categories == ["n<1K"] and data.annotations_creators == ["found", "other"]
    assert data.task_categories == ["text-classification", "token-classification", "question-answering"]
    assert [element["config_name"] for element in data.configs if element.get("default")] == ["qa"]


def test_the_real_client_commits_the_card(api, small_files):
    api.create_repo(REPO, repo_type="dataset")
    api.upload_file(
        path_or_fileobj=small_files["README.md"], path_in_repo="README.md", repo_id=REPO, repo_type="dataset"
    )
    assert HfApi().dataset_info(REPO).card_data.language == ["en", "no"]


def test_the_card_says_how_another_board_reads_it_and_how_it_is_built_again(small_files):
    readme = small_files["README.md"].decode()
    entry = yaml.safe_load(readme.split("```yaml\n")[1].split("```")[0])
    assert entry == {
        "little-board": {
            "reader": "truerate",
            "hub": {"repo": REPO, "revision": "<the commit, 40 digits>", "config": "qa"},
        }
    }
    assert "`params.yaml`, a whole settings file that declares no other board" in readme
    assert "dvc repro dataset@little-board label@little-board" in readme


def test_the_card_says_what_the_data_hold(small_files):
    readme = small_files["README.md"].decode()
    assert (
        "| `qa` (default) | one labelled text of task `qa` with what it is about | train 4, test 2 | MIT | yes |"
        in readme
    )
    # qa holds s01, s03, …, s11: hallucinated where i % 4 == 1 (s01, s05, s09), published where i % 3 == 0
    # (s03, s09)
    assert "| `qa` | gold | 4 | 2 | 2 | 2 |" in readme and "| `qa` | published | 2 | 1 | 1 | 1 |" in readme
    assert (
        "| qa | words | 0.912 (0.800 to 0.950) | – | 0.930 (0.900 to 0.970) | 8 |" in readme
        and "majority" not in readme
    )
    assert "- words alone tells 0.912 of texts (balanced) in qa (threshold 0.75)" in readme
    assert "| Fleiss’ κ | qa | 0.710 (0.600 to 0.800) | 8 |" in readme
    assert "| Labelled texts | qa | 1 234 | 1234 |" in readme
    assert "| Hallucinated | qa | 0.500 (0.400 to 0.600) | 1234 |" in readme
    assert "| filter judge | quill-1 |" in readme and "| sample | 6 | 4 | 2 | 0 | 0 |" in readme
    assert "The set has no `facts`, `judgements`: these tables hold no row here." in readme
    assert (
        "Every text of config held-out is not hallucinated" in readme
        and "Config held-out has no train split." in readme
    )
    assert 'load_dataset("org/little", "qa", split="test")' in readme
    assert "More Information Needed" not in readme and "Simulated" not in readme


def test_a_simulated_board_says_so_first(small_files):
    readme = files(draft(is_simulated=True))["README.md"].decode()
    assert readme.split("# HaluEval on little questions\n\n", 1)[1].startswith("> **Simulated.**")
    data = DatasetCard(readme).data
    assert (
        data.annotations_creators == ["found", "machine-generated"]
        and "synthetic" in data.tags
        and data.source_datasets == ["original"]
    )


def test_a_board_without_models_or_findings_does_not_speak_of_them():
    readme = files(draft(models={}, findings=(), audit=small.audit().clear(), counts=pl.DataFrame()))[
        "README.md"
    ].decode()
    assert "No model was asked to make this set" in readme and "Played by" not in readme
    assert "Nothing was audited" in readme and "| Step |" not in readme


def test_licences_that_cannot_be_joined_stand_side_by_side():
    readme = files(
        draft(tables=small.tables(licences=("MIT", "CC BY-SA 4.0", "CC BY-NC 4.0")), card={"licence": "MIT"})
    )["README.md"].decode()
    data = DatasetCard(readme).data
    assert data.license == ["cc-by-nc-4.0", "cc-by-sa-4.0", "mit"]
    assert (
        "The licences of the configs cannot be joined" in readme and faults_of(readme, kind="dataset") == []
    )
    assert "pass on what you make of it under the same licence" in readme and "no commercial use" in readme


def test_a_licence_that_was_asked_for_is_that_of_the_whole():
    results = files(draft(licence=LICENCES["cc-by-4.0"]))
    assert DatasetCard(results["README.md"].decode()).data.license == "cc-by-4.0"
    assert json.loads(results["croissant.json"])["license"] == [LICENCES["cc-by-4.0"].link]


def test_a_licence_of_its_own_words_is_other_with_a_name():
    readme = files(
        draft(card={"licence": "Little Terms 1"}, tables=small.tables(licences=("Little Terms 1",)))
    )["README.md"].decode()
    data = DatasetCard(readme).data
    assert (data.license, data.license_name) == ("other", "little-terms-1") and faults_of(
        readme, kind="dataset"
    ) == []


def test_sources_of_the_hub_are_named():
    readme = files(draft(card={"url": "https://huggingface.co/datasets/some/set"}))["README.md"].decode()
    assert DatasetCard(readme).data.source_datasets == ["some/set"]


HOSTILE = (
    "</td><script>alert(1)</script> | x | [click](javascript:alert(1)) ![i](http://evil.example/i.png) {{ 7 * 7 }} {% raw %} `code` **b**\n"
    "# heading\n---\n\u202e<!-- <img src=x onerror=alert(1)> www.evil.example https://evil.example $$x$$ \\\\(y\\\\) @someone ~~gone~~"
)


def test_a_hostile_source_acts_nowhere(tmp_path):
    card = {
        "name": HOSTILE,
        "citation": HOSTILE,
        "url": "javascript:alert(1)",
        "licence": "MIT",
        "note": HOSTILE,
    }
    card |= {"files": [{"file": HOSTILE, "n_rows": 1, "sha256": "<b>"}]}
    results = files(draft(card=card, title=HOSTILE, models={"writer": HOSTILE}, findings=(HOSTILE,)))
    readme = results["README.md"].decode()
    assert faults_of(readme, kind="dataset") == []
    assert DatasetCard(readme).data.license == "mit"  # the head ends where ours ends
    ours = f"{BEGIN}\n{END}\n"  # the two lines of every card, in which nothing of the source stands
    assert readme.endswith(ours)
    html = _rendered(readme.removesuffix(ours).split("\n---\n", 1)[1])
    for live in (
        "<script",
        "<img",
        "<!--",
        'javascript:alert(1)"',
        'href="https://evil',
        'href="http://evil',
        "<del>",
        "<h1>heading",
    ):
        assert live not in html, live
    assert "{{ 7 * 7 }}" in html and "\u202e" not in readme and "49" not in html.split("Citation")[1]
    assert _tables(html) == _tables(
        _rendered(files(draft(card={"files": card["files"]}))["README.md"].decode().split("\n---\n", 1)[1])
    )
    laid(results, tmp_path)
    assert mlcroissant.Dataset(jsonld=str(tmp_path / "croissant.json")).metadata.cite_as.count(
        "<script>"
    )  # JSON: a value, as it is


def _rendered(markdown: str) -> str:
    """Markdown as CommonMark with GitHub's tables, raw HTML and bare addresses, as a page of the Hub would
    have it.
    """
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown)


def _tables(html: str) -> list[list[int]]:
    """The number of cells of each row of each table."""
    return [
        [row.count("<td") + row.count("<th") - row.count("<thead") for row in table.split("<tr>")[1:]]
        for table in html.split("<table>")[1:]
    ]
