"""A stub endpoint in a thread, and layouts whose models live there."""

import copy
import json
from pathlib import Path

import pytest
import yaml
from stub import Stub, serving

from truerate.config import Params
from truerate.config.layout import Layout

ROOT = Path(__file__).parents[2]
BASE = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))


class Running:
    """A stub with its address."""

    def __init__(self, stub: Stub, url: str):
        self.stub, self.url = stub, url

    @property
    def n_calls(self) -> int:
        return self.stub.calls.total()


@pytest.fixture
def stub():
    """A stub endpoint, in a thread of its own for the length of one test."""
    stub = Stub()
    with serving(stub) as url:
        yield Running(stub, url)


@pytest.fixture
def at(tmp_path, monkeypatch, stub):
    """Makes layouts: `at(llm={…}, endpoint={…}, model={…})` over the repository's params, with model `m` on
    endpoint `stub`.
    """
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))

    def make(*, llm: dict | None = None, endpoint: dict | None = None, model: dict | None = None) -> Layout:
        found = copy.deepcopy(BASE)
        found["llm"].update(
            {
                "backoff_s": [0.001, 0.01],
                "timeout_s": 10,
                "max_attempts": 3,
                "budget_usd": None,
                **(llm or {}),
            }
        )
        found["endpoints"]["stub"] = {"base_url": stub.url, "concurrency": 8, **(endpoint or {})}
        if found["endpoints"]["stub"].get("launch"):
            del found["endpoints"]["stub"]["base_url"]
        found["models"]["m"] = {
            "endpoint": "stub",
            "model": "stub-model",
            "price": [1.0, 2.0],
            **(model or {}),
        }
        (tmp_path / "params.yaml").write_text(
            json.dumps(found)
        )  # JSON is YAML; for the tests that start processes
        return Layout(Params.model_validate(found))

    return make
