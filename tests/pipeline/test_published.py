"""Published detectors on a board: they judge without training, beside families that learn; over weights and
over an endpoint; and what is wrong with one is said before anything is asked of a model.
"""

import json
import os
from pathlib import Path

import pytest
import yaml
from stub import Stub, serving
from test_detect import BOARD, at, edited  # noqa: F401

from tests.detectors.published import tiny_models as tiny
from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import SettingsError, TruerateError
from truerate.core.process import tools
from truerate.core.schemas import Judgement, load
from truerate.detectors.published.judges import Answered, Question
from truerate.pipeline import detect, run_tools
from truerate.pipeline.checks.weights import refuse_absent
from truerate.pipeline.judges.asked_models import endpoint
from truerate.pipeline.planning.plan import plan

LYNX = {"model": "judge", "adapter": "lynx"}


def ready(**members):
    """A family of published detectors."""
    return {"tracks": ["halueval"], "members": list(members), "train": False, "published": members}


@pytest.fixture
def weights(tmp_path):
    return tiny.roberta(tmp_path / "mini", num_labels=2)


def test_a_board_is_judged_by_weights_that_nobody_trained_here(at, weights, monkeypatch):  # noqa: F811
    mini = {"weights": weights, "adapter": "minicheck-roberta"}
    at = edited(lambda p: p["detectors"].update(ready=ready(mini=mini)))
    refuse_absent(at, BOARD)
    detect.train(at, BOARD)
    assert sorted(os.listdir(at.trained(BOARD))) == [".made", "families.json", "flat", "long"]
    detect.judge(at, BOARD)
    said = load(Judgement, at.judgements("ready", BOARD))
    assert said.height == 24 and said["status"].unique().to_list() == ["ok"]
    assert json.loads(Path(at.judged(BOARD), "families.json").read_text()) == {
        "flat": ["always", "never"],
        "long": ["length"],
        "ready": ["mini"],
    }
    first = said["judge_version"][0]
    (Path(weights) / "more.txt").write_text("other bytes")
    watched = json.loads(Path(at.settings(Stage("judge", BOARD))).read_text())["files"]
    at = edited(lambda p: None)
    assert json.loads(Path(at.settings(Stage("judge", BOARD))).read_text())["files"] != watched
    detect.judge(at, BOARD)
    assert load(Judgement, at.judgements("ready", BOARD))["judge_version"][0] != first


def numbers(at):  # noqa: F811
    """Step, model, new calls and stored replies that a plan tells of the only judge."""
    (line,) = plan(at, BOARD).filter(step="judge lynx").select("step", "model", "n_calls", "n_stored").rows()
    return line


def test_a_judge_behind_an_endpoint_is_asked_in_its_words_and_paid_for_once(at, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "store.sqlite"))
    stub = Stub()
    with serving(stub) as url:

        def change(params):
            params["endpoints"]["stub"] = {"base_url": url}
            params["models"]["judge"] = {"endpoint": "stub", "model": "lynx", "price": [0, 0]}
            params["detectors"]["ready"] = ready(lynx=LYNX)

        at = edited(change)
        detect.train(at, BOARD)
        assert numbers(at) == ("judge lynx", "judge", 24, 0), "as many as will be paid for"
        detect.judge(at, BOARD)
        assert numbers(at) == ("judge lynx", "judge", 0, 24)
        said = load(Judgement, at.judgements("ready", BOARD))
        assert stub.calls.total() == 24 and stub.last["max_tokens"] == 600 and stub.last["temperature"] == 0.0
        prompt = stub.last["messages"][0]["content"]
        assert (
            prompt.startswith("Given the following QUESTION, DOCUMENT and ANSWER")
            and "\nDOCUMENT:\nAda" in prompt
        )
        assert said["reason"].unique().to_list() == ["unparsed-reply"], "an echo of the prompt is no verdict"
        for path in Path(at.p.paths.build, "judged", BOARD).glob("ready*"):
            path.unlink()
        detect.judge(at, BOARD)
        assert stub.calls.total() == 24, "replies lie in the store"
        ask, identity = endpoint(at, "judge")
        turns = ({"role": "assistant", "content": '[[text {"SCORE": "FAIL"}]]'},)
        (one,) = ask([Question(turns, {"documents": [{"doc_id": "0", "text": "Ada"}]}, None, 16)])
        assert one == Answered('{"SCORE": "FAIL"}') and identity == "lynx"
        assert stub.last["chat_template_kwargs"] == {"documents": [{"doc_id": "0", "text": "Ada"}]}
        (dead,) = ask([Question(({"role": "user", "content": "[[filter-400]]"},), {}, None, 16)])
        assert dead.text is None and dead.reason


WRONG = [
    (ready(x={"adapter": "lynx"}), "name either `weights`"),
    (ready(x={"model": "none", "adapter": "lynx"}), "model 'none' is not declared"),
    (ready(x={"weights": "a/b", "adapter": "minichek"}), "no adapter 'minichek'"),
    (ready(x={"weights": "a/b", "adapter": "factcg"}), "needs its `revision`"),
    (ready(x={"weights": "a/b", "adapter": "alignscore"}), "does not say its threshold"),
    ({**ready(x={"weights": "a/b"}), "train": True}, "`published` needs `train: false` beside it"),
    ({**ready(x={"weights": "a/b"}), "folds": 2}, "`train: false` goes with `published` alone"),
    ({**ready(x={"weights": "a/b"}), "members": ["x", "y"]}, "member 'y' is not in `published`"),
    ({**ready(x={"weights": "a/b"}), "members": []}, "`published` names 'x', no member"),
]


def test_a_mistake_in_the_settings_is_one_line(at):  # noqa: F811
    for family, line in WRONG:
        with pytest.raises(SettingsError, match=line) as raised:
            edited(lambda p, family=family: p["detectors"].update(ready=family))
        assert len(str(raised.value).splitlines()) == 1


def test_what_judges_whole_texts_is_refused_where_tokens_are_counted(at, weights):  # noqa: F811
    mini = {"weights": weights, "adapter": "minicheck-roberta"}

    def change(params):
        committed = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())
        params["sources"]["wiki"] = committed["sources"]["closed-world-wiki"]
        params["boards"]["towns"] = {"track": "mfava", "source": "wiki", "title": "wiki"}
        params["detectors"]["tokens"] = committed["detectors"]["tokens"]
        params["detectors"]["ready"] = ready(mini=mini) | {"tracks": ["halueval", "mfava"]}

    with pytest.raises(SettingsError, match="judges whole texts, and board 'towns' counts marked tokens"):
        edited(change)


def test_weights_of_another_shape_end_the_data_set_before_a_model_is_asked(at, weights, monkeypatch):  # noqa: F811
    config = Path(weights) / "config.json"
    family = ready(mini={"weights": weights, "adapter": "minicheck-roberta"})
    at = edited(lambda p: p["detectors"].update(ready=family))
    config.write_text(config.read_text().replace('"roberta"', '"bert"').replace("Roberta", "Bert"))
    monkeypatch.setattr(tools.subprocess, "Popen", lambda *_, **__: pytest.fail("a step was begun"))
    with pytest.raises(TruerateError, match="reads roberta.*nothing was asked of a model"):
        run_tools.make("rules/track.smk", f"{Layout.load().dataset(BOARD)}/card.json")
    assert at.p.detectors["ready"].kind == "published"
