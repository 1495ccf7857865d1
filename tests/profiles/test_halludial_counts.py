"""What the profile of HalluDial asks of whom, from its settings and a few dialogues in FaithDial's form."""

from collections import Counter

import pytest
import yaml

from tests.profiles.toy_build import ROOT
from truerate.config import checked
from truerate.config.layout import Layout
from truerate.config.profile import with_profile
from truerate.pipeline.planning.plan import planned
from truerate.sources.papers import faithdial
from truerate.tracks.halludial.protocol import TURNS
from truerate_world.__main__ import main as write_world

BOARD, N_DIALOGUES = "halludial-paper", 9


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        text = with_profile(ROOT / "params.yaml", ROOT / "profiles/paper-halludial.yaml")
        yield Layout(checked(yaml.safe_load(text) | {"n_shards": 1}, "params.yaml")).on(BOARD)


def test_five_models_make_the_papers_spontaneous_samples(config):
    settings, size = config.p.track(BOARD), config.p.size_of(BOARD)
    assert len(settings.annotated) == 5 and len(settings.responders) == 21
    assert round(size.dialogues * TURNS) * len(settings.annotated_responders) == 91_785
    assert config.p.source("faithdial").split == "train"


def test_each_turn_is_annotated_five_times_and_the_other_models_answer_test_dialogues_alone(config, tmp_path):
    write_world(["write-dialogues", str(tmp_path), "--seed", "7", "--dialogues", str(N_DIALOGUES)])
    tables = faithdial.read(tmp_path, name="faithdial", on_bad_row="stop")
    n_turns, settings = tables.items.height, config.p.track(BOARD)
    lines = planned(config, BOARD, tables)
    n = Counter({(line.step, line.model): len(line.requests) for line in lines})
    assert n["annotate", settings.annotator] == 5 * n_turns
    answered = {name: n["respond", name] for name in settings.responders}
    rated_alone = {answered[name] for name in settings.responders if name not in settings.annotated}
    annotated = {answered[name] for name in settings.annotated}
    assert len(rated_alone) == len(annotated) == 1
    n_train = annotated.pop() - rated_alone.pop()  # turns of the dialogues that are learned from
    assert 0 < n_train < n_turns
