"""Blocks of tracks: found by folder, one per track that boards use, and overridden by a board for itself alone."""

from pathlib import Path

import pytest
import yaml

from tests.cases import cases
from truerate.config import Params, load_params
from truerate.config.stage_settings import Stage, read_by, stages
from truerate.core.errors import TruerateError

ROOT = Path(__file__).parents[2]
HALUEVAL, MFAVA = "halueval-closed-world", "mfava-closed-world"


@pytest.fixture
def params():
    return yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))


def refused(tmp_path, params) -> str:
    """The line that ends the reading of these settings."""
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(params), "utf-8")
    with pytest.raises(TruerateError) as caught:
        load_params(path)
    return str(caught.value)


def test_a_board_overrides_its_track_for_itself_alone(params):
    params["boards"]["real"] = params["boards"][HALUEVAL] | {
        "settings": {"subjects": ["birch"], "sampling": {"max_tokens": 64}},
        "sizes": {"qa": 3},
    }
    p = Params.model_validate(params)
    own, other = p.track("real"), p.track(HALUEVAL)
    assert own.subjects == ("birch",) and len(other.subjects) == 5
    assert own.sampling.max_tokens == 64 and own.sampling.temperature == other.sampling.temperature
    assert (p.size_of("real").qa, p.size_of(HALUEVAL).qa) == (3, 80)
    assert p.size_of("real").dialogue == p.size_of(HALUEVAL).dialogue
    assert p.setting_name("real", "subjects") == "boards.real.settings.subjects"
    assert p.setting_name("real", "pattern") == "tracks.halueval.pattern"


@pytest.mark.parametrize("service", ["searxng", "tavily"])
def test_a_board_overrides_a_track_whose_search_service_is_named(params, service):
    """Its form has statuses as keys, which stay numbers."""
    track, board = params["tracks"]["wildhallucinations"], params["boards"]["wildhallucinations-closed-world"]
    track["search"] |= {"service": service, "endpoint": None, "url": "http://127.0.0.1:1/search"}
    board["settings"] = {"f1_at": 64, "search": {"n_results": 3}}
    p = Params.model_validate(params)
    own = p.track("wildhallucinations-closed-world")
    assert own.search.service == p.tracks["wildhallucinations"].search.service
    assert (own.f1_at, own.search.n_results) == (64, 3)


@cases(Path(__file__).with_name("mistakes.yaml"), "boards", "board", "parts")
def test_a_mistake_in_a_boards_own_settings_is_one_line_under_its_place(
    tmp_path, params, change, board, parts
):
    params["boards"][HALUEVAL] |= board
    line = refused(tmp_path, params)
    assert "\n" not in line and all(part in line for part in parts), line


def test_an_unknown_track_is_refused_with_those_that_there_are(tmp_path, params):
    params["tracks"]["halueva"] = {}
    assert (
        "unknown key 'tracks.halueva'; did you mean 'halueval'?; allowed here: halludial, halueval, labelled_replies"
        in refused(tmp_path, params)
    )


def test_what_a_board_overrides_moves_its_own_stages_and_the_site(params):
    def read() -> dict[Stage, dict]:
        p = Params.model_validate(params)
        return {stage: read_by(p, stage) for stage in stages(p)}

    params["boards"]["other"] = dict(params["boards"][HALUEVAL])
    before = read()
    params["boards"]["other"] |= {"settings": {"n_topics": 3}, "sizes": {"qa": 4}}
    after = read()
    moved = {stage for stage, values in after.items() if values != before[stage]}
    assert {stage.board for stage in moved} == {"other", None}
    assert {stage.name for stage in moved if stage.board is None} == {"site"}
    assert Stage("dataset", "other") in moved and Stage("audit", "other") not in moved
    assert after[Stage("score", "other")]["tracks.halueval"]["n_topics"] == 3
