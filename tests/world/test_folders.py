"""The folders of the closed world: what imports what, and what decides the simulated models' identity."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.keys import files
from truerate_world import simulated_model
from truerate_world.folders import part_of, tracks
from truerate_world.simulated_model import answerers, reply

ROOT = Path(__file__).parents[2]
WORLD = ROOT / "src/truerate_world"
AT = Layout.load(str(ROOT / "params.yaml"))
TRACKS = ("halludial", "halueval", "mfava", "wildhallucinations")
# What carries a reply, finds who answers, or words a mistake: none of it decides what a reply says.
CARRIERS = {"truerate_world/folders.py", "truerate_world/faults.py", "truerate_world/http_server.py"}
CARRIERS |= {"truerate/core/errors.py"}


def place(path: Path) -> str:
    return path.relative_to(ROOT / "src").as_posix()


def module_file(name: str) -> str | None:
    """The file of a dotted module, None where it is not of this house."""
    path = ROOT / "src" / name.replace(".", "/")
    found = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
    return place(found) if found.is_file() else None


@cache
def imported(file: str) -> frozenset[str]:
    """The files of the house that a file imports, at any depth, in functions too."""
    names = set()
    for node in ast.walk(ast.parse((ROOT / "src" / file).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            own = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if module_file(name) else node.module for name in own}
    return frozenset(found for name in names if (found := module_file(name)) and found != file)


def closure(*roots: str) -> set[str]:
    """The files with all that they import, without packages that hold no code."""
    found, open_ = set(), list(roots)
    while open_:
        file = open_.pop()
        if file not in found:
            found.add(file)
            open_ += imported(file)
            data = (ROOT / "src" / file).with_suffix(".yaml")  # read by `truerate_world.data`
            found |= {place(data)} if data.is_file() and file.startswith("truerate_world/") else set()
            if file.endswith("lang/__init__.py"):  # its languages are imported by name
                open_ += [place(path) for path in (ROOT / "src" / file).parent.glob("*.py")]
    return {file for file in found if not is_bare(file)}


def is_bare(file: str) -> bool:
    """Whether a package's own module holds a docstring alone."""
    return file.endswith("__init__.py") and len(ast.parse((ROOT / "src" / file).read_text("utf-8")).body) == 1


@pytest.fixture
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def named(layout: Layout, code: tuple[str, ...]) -> set[str]:
    """The files that a setting names as code."""
    found = {
        place(ROOT / file)
        for path in layout.code_at(code)
        for file in files(path)
        if file.suffix == ".py" or (file.suffix == ".yaml" and file.parent.name != "lang")
    }
    return {file for file in found if not is_bare(file)}


def test_no_circle():
    """Lazy imports counted."""
    done, path = set(), []

    def walk(file: str) -> None:
        assert file not in path, " → ".join([*path[path.index(file) :], file])
        if file not in done:
            path.append(file)
            for other in sorted(one for one in imported(file) if one.startswith("truerate_world/")):
                walk(other)
            done.add(path.pop())

    for file in sorted(WORLD.rglob("*.py")):
        walk(place(file))


def test_protocols_never_import_one_another_and_what_they_share_names_none():
    assert tracks() == sorted(TRACKS)
    for file in WORLD.rglob("*.py"):
        own = file.relative_to(WORLD).parts[0]
        of_tracks = {
            Path(other).parts[1] for other in imported(place(file)) if Path(other).parts[1] in TRACKS
        }
        assert of_tracks <= {own}, file
        if own not in TRACKS:
            assert not [track for track in TRACKS if track in file.read_text("utf-8")], file


def deciding(track: str) -> set[str]:
    """The files that decide what a model answers to the prompts of a protocol, and what its web holds."""
    models = f"truerate_world/{track}/models"
    roots = [
        "truerate_world/simulated_model.py",
        "truerate_world/completions.py",
        f"{models}/simulated_model.py",
    ]
    site = [f"{models}/site.py"] if (ROOT / "src" / models / "site.py").is_file() else []
    return closure(*roots, *site) - CARRIERS


@pytest.mark.parametrize("board", AT.p.boards)
def test_the_identity_is_of_the_files_that_decide_replies_and_of_no_other(at_root, board):
    track, code = AT.p.board(board).track, named(AT.on(board), AT.p.endpoints["world"].code)
    assert deciding(track) <= code
    needless = code - deciding(track)
    assert needless <= set().union(*map(deciding, TRACKS)), "decides no reply of any protocol"
    assert not [file for file in needless if any(f"/{one}/" in file for one in TRACKS)]


@pytest.mark.parametrize("board", AT.p.boards)
def test_what_writes_a_source_and_what_plants_its_truth_are_named(at_root, board):
    track, source = AT.p.board(board).track, AT.p.source(AT.p.board(board).source)
    outside = {"truerate/", "truerate_world/__init__.py"}

    def of_world(*roots: str) -> set[str]:
        return {file for file in closure(*roots) if not file.startswith(tuple(outside))}

    writers, steps = f"truerate_world/{track}/commands.py", f"truerate_world/{track}/steps.py"
    assert of_world("truerate_world/__main__.py", writers) - named(AT, source.code) <= {
        # found by name when the command `serve` or a stage runs, never by one that writes
        "truerate_world/server.py",
        "truerate_world/steps.py",
    }
    assert of_world("truerate_world/steps.py", steps) <= named(AT.on(board), source.truth_code)
    people = {f"truerate_world/{track}/{name}.py" for name in ("annotate", "truth", "steps")}
    assert not people & named(AT, source.code)


def test_the_folder_of_a_new_protocol_moves_no_identity_of_another(tmp_path, monkeypatch):
    """Nor does an annotator, the truth, or the page of another protocol's web."""
    monkeypatch.chdir(tmp_path)
    for path in ("src/world/shared.py", "src/world/halueval/models/m.py", "src/world/halueval/annotate.py"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("# as it was")
    code = ("src/world/shared.py", "src/world/{track}/models")
    board = next(name for name, one in AT.p.boards.items() if one.track == "halueval")
    endpoint = AT.p.endpoints["world"].model_copy(update={"code": code})
    p = AT.p.model_copy(update={"endpoints": {"world": endpoint}})

    def identity() -> str:
        from truerate.config.layout import _digest_of

        _digest_of.cache_clear()
        return Layout(p).on(board).identity("aster")

    first = identity()
    Path("src/world/toy/models").mkdir(parents=True)
    Path("src/world/toy/models/m.py").write_text("# of another")
    Path("src/world/halueval/annotate.py").write_text("# changed")
    assert identity() == first
    Path("src/world/halueval/models/m.py").write_text("# changed")
    second = identity()
    Path("src/world/shared.py").write_text("# changed")
    assert len({first, second, identity()}) == 3


def test_code_that_is_told_by_track_needs_a_board_where_boards_run_several(at_root):
    with pytest.raises(TruerateError, match="no board is at work"):
        AT.identity("aster")
    only = {name: board for name, board in AT.p.boards.items() if board.track == "mfava"}
    alone = Layout(AT.p.model_copy(update={"boards": only}))
    assert alone.identity("aster") == AT.on(next(iter(only))).identity("aster")
    assert len({there.identity("aster") for there in AT.on_each_track()}) == len(TRACKS)


def test_code_that_is_nowhere_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TruerateError, match=r"nothing at 'src/\{track\}/models'"):
        AT.on(next(iter(AT.p.boards))).code_digest(("src/{track}/models",))


def test_a_protocol_without_a_folder_offers_nothing():
    assert part_of("no_such_protocol", "models.simulated_model") is None
    assert part_of("mfava", "models.site") is None
    assert answerers("no_such_protocol").by_cue == {}


def test_a_cue_that_two_protocols_claim_is_refused(monkeypatch):
    answerers.cache_clear()
    monkeypatch.setitem(part_of("mfava", "models.simulated_model").CUES, "Facts", None)
    with pytest.raises(TruerateError, match="another protocol has the cue 'Facts'"):
        answerers()
    answerers.cache_clear()


def test_a_server_of_one_protocol_loads_no_other():
    code = (
        "import sys; from truerate_world.encyclopedia import build; from truerate_world.simulated_model import reply\n"
        "reply(build(7), 'sim-elm', [{'role': 'user', 'content': 'Hello.'}], only='halueval')\n"
        "print([name for name in sys.modules if 'world.mfava' in name or 'world.wild' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_each_protocol_answers_its_own_and_all_together_answer_the_same(world):
    """A bare message says to no one whose it is, so here is one of each; with headings the cue says it."""
    name = world.lexicon().name(3)
    bare = {
        "halueval": f"Tell me about {name}.",
        "wildhallucinations": f"What do you know about {name}? Please answer in one paragraph.",
    }
    for track, text in bare.items():
        message = [{"role": "user", "content": text}]
        whole = reply(world, "sim-elm", message, temperature=1.0, seed=1)
        assert whole == reply(world, "sim-elm", message, temperature=1.0, seed=1, only=track)
        assert whole.task != "unrecognised"
    assert simulated_model.reply(world, "sim-elm", message, only="mfava").task == "unrecognised"
