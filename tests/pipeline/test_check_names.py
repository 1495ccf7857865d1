"""Names that settings use: each is checked, and the line says where it stands and what may be meant."""

import copy
from pathlib import Path

import pytest
import yaml

from truerate.cli import main

ROOT = Path(__file__).parents[2]
COMMITTED = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
H, M, W = "tracks.halueval.", "tracks.mfava.", "tracks.wildhallucinations."
BOARD = COMMITTED["boards"]["mfava-closed-world"]


@pytest.fixture
def refused(tmp_path, monkeypatch, capfd):
    """Give changed settings to the first stage, which must refuse them; gives its lines. `files`: what lies
    in the project.
    """
    for name in ("src", "rules"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "store.sqlite"))

    def run(changes: dict[str, object], files: dict[str, bytes] | None = None) -> str:
        params = copy.deepcopy(COMMITTED)
        for place, value in changes.items():
            block = params
            *above, last = place.split(".")
            for part in above:
                block = block[part]
            block[last] = value
        for path, content in (files or {}).items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(content)
        Path("params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
        capfd.readouterr()
        assert main(["params"]) == 2
        shown = capfd.readouterr().err
        assert "Traceback" not in shown and not Path("build").exists()
        return shown

    return run


MEMBERS = COMMITTED["detectors"]["tokens"]["members"]
NAMES = {
    "a reference where no words are marked": (
        {"boards.wildhallucinations-closed-world.reference": "article"},
        ["boards.wildhallucinations-closed-world.reference is 'article', and detectors of track"],
    ),
    "a subject": (
        {H + "subjects": ["gpt4"]},
        [H + "subjects: model 'gpt4' is not declared; declared: aster, aster-search"],
    ),
    "a model that is gone, in two places": (
        {M + "writer": "nobody", M + "checker": "nobody"},
        [f"{M}writer, {M}checker: model 'nobody' is not declared"],
    ),
    "an endpoint": (
        {"models.elm.endpoint": "wrld"},
        ["models.elm.endpoint: endpoint 'wrld' is not declared; did you mean 'world'?"],
    ),
    "a search": ({W + "search.endpoint": "wrld"}, [W + "search.endpoint: endpoint 'wrld' is not declared"]),
    "a panel of no subject": (
        {W + "panel": ["quill"]},
        [W + "panel: 'quill' is no subject", "subjects: aster, aster-search, birch"],
    ),
    "a track of public data": (
        {"public_data.begin.track": "halueva"},
        ["public_data.begin.track: track 'halueva'", "did you mean 'halueval'"],
    ),
    "a reader of public data": (
        {"public_data.begin.reader": "beginn"},
        [
            "params.yaml: public_data.begin: source 'begin': reader 'beginn' is not known; did you mean 'begin'?"
        ],
    ),
    "tokens for a track without": (
        {"detectors.tokens.tracks": ["mfava", "halueval"]},
        [
            "detectors.tokens.tracks: track 'halueval' has no tokens to mark",
            "tracks with tokens: halludial, mfava",
        ],
    ),
    "weights of public data": (
        {"public_data.begin.settings": {"similarity": "chfr"}},
        ["public_data.begin.settings.similarity: 'chfr' is no folder that is there; did you mean 'chrf'?"],
    ),
    "a member": (
        {"detectors.baselines.members": ["lenght"], "detectors.baselines.only": {}},
        ["detectors.baselines.members: detector member 'lenght' is not known; did you mean 'length'?"],
    ),
    "a detector called as a model": (
        {
            "detectors.baselines.members": ["always"],
            "detectors.baselines.only": {},
            "models.always": COMMITTED["models"]["elm"],
        },
        ["models.always: a detector of detectors.baselines has this name too"],
    ),
    "rates by nobody": (
        {M + "detector.member": "tiny-prefx"},
        [M + "detector: member 'tiny-prefx' is not built; did you mean 'tiny-prefix'?"],
    ),
    "a language": ({M + "languages": ["en", "xx"]}, [M + "languages: unknown language code 'xx'"]),
    "a language that is not written": (
        {M + "languages": ["en", "es"]},
        [
            M
            + "languages: 'es' is not written by source 'closed-world-wiki' of board 'mfava-closed-world'; it writes: ar, de"
        ],
    ),
    "weights": (
        {"backbones.tiny-plain.weights": "no/such/folder"},
        ["backbones.tiny-plain.weights: 'no/such/folder' is no Hub id"],
    ),
    "a licence": (
        {"hub.licence": "cc-by-4"},
        ["hub.licence: 'cc-by-4' is no licence that can be asked for; did you mean 'cc-by-4.0'?"],
    ),
    "a dropped setting": (
        {"models.elm.drop": ["temprature"]},
        ["models.elm.drop: 'temprature' is no setting", "'temperature'?"],
    ),
    "a limit in words": (
        {"models.elm.params": {"max_tokens": "many"}},
        ["models.elm.params: max_tokens must be a whole number"],
    ),
    "a setting of a model that nobody asks": (
        {"models.new": {"endpoint": "world", "model": "x", "params": {"temprature": 1}}},
        ["models.new.params: asking model 'new': temprature cannot be sent"],
    ),
    "a place in a command": (
        {"sources.closed-world.make": "python {path} {seeed}"},
        ["sources.closed-world: ", "{seeed}", "allowed: {"],
    ),
    "a command that fills nothing": (
        {"sources.closed-world.make": "python x.py"},
        ["sources.closed-world: ", "must hold {path}"],
    ),
    "code of a source": (
        {"sources.closed-world.code": ["src/nope"]},
        ["sources.closed-world: ", "nothing at 'src/nope'"],
    ),
    "an address": (
        {"endpoints.odd": {"base_url": "http://[x/v1"}},
        ["endpoints.odd.base_url: it names no host and port"],
    ),
    "a question": (
        {W + "question": "What of {entity} and {more}?"},
        [W + "question: must hold {entity}, where the name is put"],
    ),
    "a user agent": ({W + "fetch.user_agent": "a\nb"}, [W + "fetch.user_agent: must be printable ASCII"]),
    "names taken down": (
        {W + "takedown": "none.txt"},
        [W + "takedown: reading the take-down list 'none.txt': No such file"],
    ),
    "prompts": ({"llm.prompts_dir": "none"}, ["llm.prompts_dir: no template in 'none'"]),
    "a simulated web for real entities": (
        {
            "sources.mine": {"reader": "wildchat", "path": "inputs/chats"},
            "boards.chats-mine": {"track": "wildhallucinations", "source": "mine"},
            "endpoints.vllm": {"base_url": "http://localhost:8000/v1"},
            "models.llama": {"endpoint": "vllm", "model": "llama"},
            W + "subjects": ["llama"],
        },
        [W + "search.endpoint is 'world'", "'chats-mine'", "search.url"],
    ),
    "a rule for what nobody is asked for": (
        {"llm.cut": {"nothing": "keep"}},
        ["llm.cut: no track asks a model for 'nothing'", "allowed: annotate, answer, "],
    ),
    "a track of a member": (
        {"detectors.baselines.only": {"support": ["mfava"]}},
        ["`only` gives 'support' the track 'mfava', none of the family's: halueval, wildhallucinations"],
    ),
    "a quote in a launch": ({"endpoints.world.launch": 'serve {port} "x'}, ["No closing quotation"]),
    "a board as long as no folder's": ({"boards.x" + "y" * 100: BOARD}, ["boards: name 'xyyy", "at most 80"]),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_not_there_is_one_line_with_its_place(refused, name):
    changes, parts = NAMES[name]
    lines = refused(changes)
    assert lines.startswith("truerate: params.yaml: ") and lines.count("\n") == 1, lines
    assert all(part in lines for part in parts), lines


def test_files_that_are_no_text_are_one_line(refused):
    assert "it is no UTF-8" in refused({W + "takedown": "x.txt"}, {"x.txt": b"\xff\xfe"})
    assert "line 1 is no object" in refused({W + "search.recorded": "x.jsonl"}, {"x.jsonl": b"[]\n"})


def test_a_board_that_names_a_file_of_its_own_is_told_of_its_own_place(refused):
    line = refused({"boards.wildhallucinations-closed-world.settings": {"takedown": "none.txt"}})
    assert "boards.wildhallucinations-closed-world.settings.takedown: reading" in line
    assert "tracks.wildhallucinations" not in line


def test_each_mistake_has_a_line(refused):
    lines = refused(
        {H + "responder": "nobody", "models.elm.endpoint": "wrld", "boards.halueval-closed-world.source": "x"}
    ).splitlines()
    assert len(lines) == 3 and all("is not declared" in line for line in lines)
