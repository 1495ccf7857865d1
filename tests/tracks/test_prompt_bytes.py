"""The bytes of every built-in prompt, for stand-in values: whoever edits a template sees that replies already
paid for will be asked again.

Lines of a template may be broken without a trace by a comment that holds the line's end: `{#`, then `#}`.
"""

import hashlib
import json
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment, meta

from truerate.llm import prompts

FOUND = sorted(prompts.TRACKS.glob("*/prompts/*.j2"))
DIGESTS = yaml.safe_load(Path(__file__).with_name("data").joinpath("prompt_digests.yaml").read_text("utf-8"))


class StandIn:
    """A value that a template can print, walk through, index and compare; all its answers are `is_true`."""

    def __init__(self, name: str, is_true: bool, depth: int = 0):
        self.name, self.is_true, self.depth = name, is_true, depth

    def _part(self, name: object) -> "StandIn":
        return StandIn(f"{self.name}.{name}", self.is_true, self.depth + 1)

    def __str__(self):
        return self.name

    def __bool__(self):
        return self.is_true

    def __eq__(self, other):
        return self.is_true

    __lt__ = __gt__ = __le__ = __ge__ = __contains__ = __eq__
    __hash__ = None

    def __len__(self):
        return 2

    def __iter__(self):
        return iter((self._part(0), self._part(1)))

    def __getitem__(self, key):
        return self._part(key)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._part(name)

    def __call__(self, *given):
        return self._part("of")


def digest(track: str, name: str) -> str:
    """The digest of a prompt's messages, once with every condition true and once with every one false."""
    source = (prompts.TRACKS / track / "prompts" / f"{name}.j2").read_text("utf-8")
    environment = Environment()
    environment.filters["fence"] = str
    names = sorted(meta.find_undeclared_variables(environment.parse(source)))
    digests = [
        prompts.render(track, name, None, **{variable: StandIn(variable, is_true) for variable in names})
        for is_true in (True, False)
    ]
    return hashlib.sha256(json.dumps(digests, ensure_ascii=False).encode()).hexdigest()[:16]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_a_prompt_keeps_its_bytes(path):
    track = path.parts[-3]
    assert digest(track, path.stem) == DIGESTS[track][path.stem]


def test_every_prompt_is_written_down():
    written = {(track, name) for track, names in DIGESTS.items() for name in names}
    assert written == {(path.parts[-3], path.stem) for path in FOUND}
