"""The source folder: every file in its public format, as the readers take it."""

import csv
import json

import pytest

from truerate.core.schemas import pair
from truerate.sources.raw.seed_files import read
from truerate_world.halueval.sources import N_PROBES, write

N = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    write(folder, 11, N, ["en"])
    return folder


def load(folder, name):
    return json.loads((folder / name).read_text("utf-8"))


def test_hotpotqa_rows_hold_two_supporting_and_two_distracting_paragraphs(folder):
    rows = load(folder, "hotpotqa.json")
    assert len(rows) == N == len({row["question"] for row in rows}) and {row["type"] for row in rows} == {
        "bridge",
        "comparison",
    }
    for row in rows:
        titles = [title for title, _ in row["context"]]
        assert len(titles) == len(set(titles)) == 4
        paragraphs = dict(row["context"])
        assert all(len(sentences) > 2 for sentences in paragraphs.values())
        assert len({title for title, _ in row["supporting_facts"]}) == 2
        assert all(0 <= place < len(paragraphs[title]) for title, place in row["supporting_facts"])


def test_supporting_sentences_lead_to_the_answer(folder):
    from truerate_world.encyclopedia import build
    from truerate_world.halueval.models.claim_checker import checker

    known = checker(build(11))
    for row in load(folder, "hotpotqa.json"):
        paragraphs = dict(row["context"])
        steps = known.questions.resolve(row["question"], {}).steps
        for (title, place), (subject, relation, value) in zip(row["supporting_facts"], steps, strict=True):
            claims = known.parser.read(" ".join(paragraphs[title])).claims
            assert any(claim[1:] == (subject, relation, value, place) for claim in claims)
        assert not known.qa(row["question"], row["answer"]).is_hallucinated


def test_dialogues_walk_a_path_before_the_assistant_speaks(folder):
    with (folder / "opendialkg.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == N and list(rows[0]) == ["Messages", "User Rating", "Assistant Rating"]
    for row in rows:
        messages = json.loads(row["Messages"])
        assert [one.get("sender") for one in messages if one["type"] == "chat"] == [
            "user",
            "assistant",
            "user",
            "assistant",
        ]
        walks = [one for one in messages if one["type"] == "action"]
        assert {one["action_id"] for one in walks} == {"kgwalk/choose_path"}
        for walk in walks:
            score, triples, text = walk["metadata"]["path"]
            assert 0 <= score < 1 and all(len(triple) == 3 for triple in triples) and text


def test_stories_have_highlights_that_the_article_bears_out_in_other_words(folder):
    from truerate_world.encyclopedia import build
    from truerate_world.halueval.models.claim_checker import checker

    known = checker(build(11))
    stories = sorted((folder / "stories").glob("*.story"))
    assert len(stories) == N
    n_same = n = 0
    for path in stories:
        article, *highlights = path.read_text("utf-8").split("@highlight")
        assert len(highlights) == 3 and article.count("\n\n") >= 2
        assert not known.summary("\n".join(text.strip() for text in highlights), article).is_hallucinated
        n_same, n = n_same + sum(text.strip() in article for text in highlights), n + 3
    assert n_same / n < 0.3


def test_instructions_are_all_different_and_about_entities(folder):
    rows = load(folder, "alpaca.json")
    assert len(rows) == N == len({(row["instruction"], row["input"]) for row in rows})
    assert all(set(row) == {"instruction", "input", "output"} and row["output"] for row in rows)


def test_probes_are_half_hallucinated_with_spans_in_their_text(folder):
    rows = [
        json.loads(line) for line in (folder / "general_probe.jsonl").read_text("utf-8").split("\n") if line
    ]
    assert len(rows) == N_PROBES and sum(row["hallucination"] == "yes" for row in rows) == N_PROBES // 2
    for row in rows:
        assert bool(row["hallucination_spans"]) == (row["hallucination"] == "yes")
        assert all(span in row["response"] for span in row["hallucination_spans"])


def test_the_probes_labels_are_true(folder):
    from truerate_world.encyclopedia import build
    from truerate_world.halueval.models.claim_checker import checker

    known = checker(build(11))
    for line in (folder / "general_probe.jsonl").read_text("utf-8").split("\n"):
        if line:
            row = json.loads(line)
            assert known.general(row["query"], row["response"]).is_hallucinated == (
                row["hallucination"] == "yes"
            ), row


def test_the_reader_takes_every_row(folder):
    tables = read(folder, name="w", on_bad_row="stop")
    assert tables.rejects.is_empty() and tables.card["redistribution"] == "yes"
    counts = dict(tables.items.group_by("task").len().iter_rows())
    n_probes = tables.items.filter(pair("attributes", "is_probe") == "True").height
    assert counts == {"qa": N, "dialogue": N, "summarization": N, "general": N + n_probes}
    assert n_probes == N_PROBES


def test_a_larger_folder_keeps_the_smaller_ones_rows(folder, tmp_path):
    write(tmp_path, 11, N + 10)
    for name in ("hotpotqa.json", "alpaca.json"):
        assert load(tmp_path, name)[:N] == load(folder, name)
