"""Every profile of a paper, built at toy size on a stub: what its track says of the paper's tables has its cells there."""

from collections.abc import Callable

import pytest

from tests.profiles import toy_build, toy_files, toy_people
from truerate.core.paper_tables import read_paper

TRACKS = toy_build.ROOT / "src/truerate/tracks"


def cut_halueval(params: dict) -> None:
    """A dozen texts of each task, compared by characters."""
    params["sizes"]["full"]["halueval"] = {
        "qa": 12,
        "dialogue": 12,
        "summarization": 12,
        "general": 8,
        "general_pool": 12,
    }
    params["tracks"]["halueval"]["similarity"] = "chrf"


def cut_wildhallucinations(params: dict) -> None:
    """A dozen entities, a few labels of each kind; a domain of five entities has a column."""
    params["sizes"]["full"]["wildhallucinations"] |= {
        "entities": 12,
        "labelled": 4,
        "replies": 4,
        "reviewed": 40,
        "checked": 4,
    }
    params["tracks"]["wildhallucinations"]["domains_above"] = 5


def cut_mfava(params: dict) -> None:
    """Three languages, six passages and five articles of each; networks of sixty steps, words as tokens, and
    translation by a model in place of weights.
    """
    params["sizes"]["full"]["mfava"] |= {"train": 40, "silver": 6, "articles": 5}
    languages = list(toy_files.LANGS)
    params["sources"]["mfava-paper"]["languages"] = languages
    params["tracks"]["mfava"] |= {
        "languages": languages,
        "seq2seq": None,
        "translator": "gpt-4",
        "tokenizer": "words",
    }
    tiny = {
        "weights": "tiny",
        "max_tokens": 256,
        "token_budget": 2048,
        "max_steps": 60,
        "checkpoint_steps": 60,
    }
    tiny |= {"learning_rate": 3.0e-3, "batch": 4, "accumulation": 1}
    for network in params["backbones"].values():
        for heavy in ("lora", "quantise", "resources"):
            del network[heavy]
        network |= tiny


def cut_halludial(params: dict) -> None:
    """Six dialogues; trees in place of the judge's seven billion parameters, characters compared."""
    params["sizes"]["full"]["halludial"] |= {
        "dialogues": 6,
        "tempered": 2,
        "located": 24,
        "compared": 4,
        "natural": 4,
        "meta": 4,
    }
    params["sizes"]["full"]["halueval"] = {
        "qa": 12,
        "dialogue": 12,
        "summarization": 12,
        "general": 1,
        "general_pool": 1,
    }
    params["tracks"]["halludial"]["similarity"] = "chrf"
    for judge in params["detectors"]["hallujudge"]["judges"].values():
        del judge["backbone"]
        judge |= {"form": "trees", "folds": 2}


CUTS: dict[str, Callable[[dict], None]] = {
    "halueval": cut_halueval,
    "wildhallucinations": cut_wildhallucinations,
    "mfava": cut_mfava,
    "halludial": cut_halludial,
}


@pytest.fixture(scope="module", params=CUTS)
def toy(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "inputs").mkdir()
    getattr(toy_files, request.param)(folder / "inputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("TRUERATE_STORE", str(folder / "store.sqlite"))
        yield (
            request.param,
            toy_build.build(request.param, folder, cut=CUTS[request.param], people=toy_people.BY_TRACK),
        )


def test_each_table_of_the_paper_has_each_of_its_cells(toy):
    track, built = toy
    rows = built.rows
    lacking = []
    tables = read_paper(TRACKS / track / "paper.yaml")
    assert tables
    for table in tables:
        for cells in table.cells:
            wanted = cells.wanted(rows)
            lacking += [(table.name, *cell[:3]) for cell in wanted if cell.row is None]
            lacking += [] if wanted else [(table.name, "none", cells.metrics, dict(cells.slice))]
        if table.shown == "topics" and not built.topics:
            lacking.append((table.name, "topics"))
    assert not lacking
