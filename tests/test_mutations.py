"""Two hundred slips in params.yaml: each is accepted, or refused in lines that say where, in plain words."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.mutations import SEED, Mutation, N, at, everything, mutations
from truerate.config.layout import Layout
from truerate.config.places import check_places
from truerate.core.errors import TruerateError
from truerate.pipeline.checks.check_names import check_names

ROOT = Path(__file__).parents[1]
COMMITTED = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
ALIEN = ("Input should", "pydantic", "<unicode", "Traceback", "validation error", "Error(")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project: what of the code the settings name is there."""
    for name in ("src", "rules", "site"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "inputs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "store.sqlite"))
    return tmp_path


def answer(params: dict) -> list[str]:
    """The lines with which settings are refused; none where they are accepted."""
    Path("params.yaml").write_text(
        yaml.dump(params, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False), "utf-8"
    )
    try:
        layout = Layout.load()
        check_names(layout)
        check_places(layout)
    except TruerateError as error:
        return str(error).splitlines()
    return []


def words_of(mutation: Mutation) -> set[str]:
    """What a line about a mutation may name: its place or the block that it stands in, what stood there and what stands there now."""
    place = [str(part) for part in mutation.place]
    above = [".".join(place[:n]) for n in range(max(1, min(2, len(place) - 1)), len(place) + 1)]
    before = [one for one in everything(at(COMMITTED, mutation.place)) if isinstance(one, str)]
    return {word[:60] for word in (*above, place[-1], str(mutation.after), *before) if word}


def test_two_hundred_mutations_are_refused_in_plain_lines_or_accepted(project):
    assert answer(COMMITTED) == []
    accepted = Counter()
    for mutation in mutations(COMMITTED, n=N, seed=SEED):
        lines = answer(mutation.applied(COMMITTED))
        accepted[mutation.kind] += not lines
        for line in lines:
            assert line.startswith("params.yaml: ") and len(line) < 1500, (str(mutation), lines)
            assert not [word for word in ALIEN if word in line], (str(mutation), lines)
        assert len(set(lines)) == len(lines), (str(mutation), lines)
        assert not lines or any(word in line for word in words_of(mutation) for line in lines), (
            str(mutation),
            lines,
        )
    assert 20 <= sum(accepted.values()) <= N // 2, accepted


def test_mutations_are_drawn_by_their_seed():
    once, again, other = (list(map(str, mutations(COMMITTED, n=21, seed=seed))) for seed in (1, 1, 2))
    assert once == again != other and len(set(once)) == 21
