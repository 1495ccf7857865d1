"""What a paper states stands in its profile and is not called ours; all else that a profile sets is marked `ours`, with a reason."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

ROOT = Path(__file__).parents[2]
STATED = yaml.safe_load(Path(__file__).with_name("stated.yaml").read_text("utf-8"))
BLOCKS = ("sizes", "llm", "tracks", "backbones")  # whose every setting is the paper's or ours
# how a machine runs it and which address it asks: no matter of a paper
PLUMBING = set(
    "resources token_budget key_env engine_env endpoint url proxy unlimited_hosts user_agent rpm".split()
)
OURS = re.compile(r"\bours\b(.*)", re.IGNORECASE)


class Setting(NamedTuple):
    """A setting of a profile: its place, its value, its line, and what comments say behind it, and above it and its
    blocks, the nearest last.
    """

    place: tuple[str, ...]
    value: object
    line: int
    behind: str
    above: tuple[str, ...]

    def is_called_ours(self, keys: set[str]) -> bool:
        """Whether a comment beside it calls it ours; one that names some of the `keys` calls these alone so."""
        near = [(comment, True) for comment in (self.behind, self.above[-1])]
        far = [(comment, False) for comment in self.above[:-1]]
        return any(self._is_meant(words, keys, of_all=of_all) for words, of_all in self._ours(near + far))

    def is_marked(self, keys: set[str]) -> bool:
        """The same, a comment on a block that names no key being on all of it."""
        comments = [(comment, True) for comment in (self.behind, *self.above)]
        return any(self._is_meant(words, keys, of_all=True) for words, _ in self._ours(comments))

    @staticmethod
    def _ours(comments: list[tuple[str, bool]]) -> list[tuple[set[str], bool]]:
        texts = [
            (text, of_all)
            for comment, of_all in comments
            for text in OURS.findall(comment)
            if text.strip(" :;.")
        ]
        return [(set(re.findall(r"[\w-]+", text)), of_all) for text, of_all in texts]

    def _is_meant(self, words: set[str], keys: set[str], *, of_all: bool) -> bool:
        return bool(words & keys & set(self.place)) if words & keys else of_all


def settings_of(text: str) -> list[Setting]:
    """The leaves of a profile, a list being one."""
    return list(_leaves(yaml.compose(text), text.splitlines(), (), ()))


def _leaves(node: yaml.Node, lines: list[str], place: tuple, above: tuple) -> Iterator[Setting]:
    for key, value in node.value:
        number = key.start_mark.line
        own, comments = (*place, key.value), (*above, _above(lines, number))
        if isinstance(value, yaml.MappingNode) and value.value:
            yield from _leaves(value, lines, own, comments)
        else:
            last = value.end_mark.line - (value.end_mark.column == 0)
            behind = " ".join(line.partition(" #")[2] for line in lines[number : last + 1])
            yield Setting(own, yaml.safe_load(yaml.serialize(value)), number, behind, comments)


def keys_beside(setting: Setting, settings: list[Setting]) -> set[str]:
    """The names of what stands on a setting's line or in its block, and of the blocks on that line."""
    beside = [one for one in settings if one.line == setting.line or one.place[:-1] == setting.place[:-1]]
    shared = set(setting.place[: 3 if setting.place[0] == "sizes" else 2])
    return {key for one in beside for key in one.place} - shared


def _above(lines: list[str], number: int) -> str:
    """The comment lines right above a line."""
    start = number
    while start and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return " ".join(line.strip("# ") for line in lines[start:number])


@pytest.mark.parametrize("name", STATED)
def test_what_the_paper_states_is_set_and_all_else_is_marked(name):
    text = (ROOT / f"profiles/paper-{name}.yaml").read_text("utf-8")
    profile, settings, wrong = yaml.safe_load(text), settings_of(text), []
    for place, stated in STATED[name].items():
        value = profile
        for key in place.split("/"):
            value = value.get(key) if isinstance(value, dict) else None
        if value != stated["value"]:
            wrong.append(f"{place} is {value!r}; the paper ({stated['section']}): {stated['value']!r}")
    for setting in settings:
        place, keys = "/".join(setting.place), keys_beside(setting, settings)
        is_stated = any(place == known or place.startswith(f"{known}/") for known in STATED[name])
        is_matter = (
            setting.place[0] in BLOCKS
            and setting.value not in (None, [], {})
            and not PLUMBING & set(setting.place)
        )
        if is_stated and setting.is_called_ours(keys):
            wrong.append(f"{place} is called ours, and the paper states it")
        if is_matter and not is_stated and not setting.is_marked(keys):
            wrong.append(f"{place} is neither stated by the paper nor marked ours")
    assert not wrong, "\n".join(wrong)
