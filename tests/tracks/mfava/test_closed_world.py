"""The asking steps against the closed world's simulated models, which read the prompts as a model would."""

from collections import Counter

import pytest

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, frame
from truerate.core.spans.tags import TYPES
from truerate.sources.raw import wiki_files
from truerate.tracks.mfava import dataset, steps
from truerate_world.__main__ import main as write_world

from .tiny_wiki import PARAMS, ROOT

BOARD, LANGS = "mfava-closed-world", ("en", "zh", "ar")
SIZES = {"train": 6, "held_out": 3, "silver": 5, "articles": 3}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The tables of the data set of a small wiki in three scripts."""
    folder = tmp_path_factory.mktemp("wiki")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(folder / "responses.sqlite"))
        values = PARAMS.model_dump() | {"profile": "demo", "n_shards": 1}
        values["sizes"]["demo"]["mfava"] |= SIZES | {"natural": 2}
        values["tracks"]["mfava"] |= {"languages": LANGS}
        at = Layout(Params.model_validate(values)).on(BOARD)
        sizes = [f"--{name.replace('_', '-')}={n}" for name, n in SIZES.items()]
        write_world(
            ["write-wiki", str(folder / "wiki"), "--seed", "7", "--languages", ",".join(LANGS), *sizes]
        )
        tables = wiki_files.read(folder / "wiki", name="closed-world-wiki", on_bad_row="stop")
        replies = {}
        for name, model in (
            ("silver", "quill"),
            ("translate", "quill"),
            ("query", "quill"),
            ("check", "aster"),
            ("answer", "aster"),
        ):
            replies[name] = getattr(steps, name)(at, BOARD, model, tables, 0, dict(replies))
        yield steps.exported(at, BOARD, tables, replies, {"judgements": frame(Judgement)})[0]


def test_every_prompt_is_understood(built):
    ok = Counter(built["generations"].filter(status="ok")["purpose"])
    assert ok["write"] == 15 and ok["query"] == 9 and ok["check"] == 18 and ok["translate_reference"] == 18
    assert ok["answer"] >= 15 and ok["translate"] >= 13  # the world cuts some replies and loses some tags


def test_most_passages_come_through_all_rounds_in_every_language(built):
    silver = built["samples"].filter(task="silver")
    assert set(silver["lang"]) == set(LANGS) and silver.height >= 8
    assert all({span["type"] for span in spans} == set(TYPES) for spans in silver["spans"].to_list())


def test_held_out_passages_are_judged_in_every_language_and_trained_on_in_none(built):
    trained, judged = (
        dataset.training(built["samples"]),
        dataset.targets(built["samples"], built["generations"]),
    )
    assert set(judged.filter(task="held-out")["lang"]) == set(LANGS) and set(trained["task"]) == {"train"}
    assert not set(trained["group_id"]) & set(judged["group_id"])


def test_translations_keep_the_marked_share(built):
    share = {}
    for (lang,), part in built["samples"].filter(task="train").group_by("lang"):
        marked = sum(span["end"] - span["start"] for spans in part["spans"].to_list() for span in spans)
        share[lang] = marked / part["text"].str.len_chars().sum()
    assert set(share) == set(LANGS) and all(abs(share[lang] - share["en"]) < 0.15 for lang in LANGS)
