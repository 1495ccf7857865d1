"""A broken track stops nobody who does not use it; a board that uses it is told in one line what is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BLOCKS = """from typing import ClassVar
from truerate.config.blocks import Names, SizesOfTrack, Track
class Sizes(SizesOfTrack):
    "None."
class Settings(Track):
    asks: ClassVar[tuple[str, ...]] = ("{asks}",)
    subjects: Names
"""
SOUND = BLOCKS.format(asks="subjects")
HALF = """from truerate.tracks.protocol import Protocol
class Half(Protocol):
    name = "half"
PROTOCOL = Half()
"""
TRACKS = {  # what is wrong with a track, and its files
    "bare": {},
    "torn": {"settings": "class Settings(:"},
    "lost": {"settings": BLOCKS.format(asks="subject")},
    "half": {"settings": SOUND, "protocol": HALF},
    "mute": {"settings": SOUND},
}
SAID = {
    "bare": "boards.new.track: track 'bare': tracks/bare/settings.py is not there; it must hold classes `Settings` and `Sizes`",
    "torn": "boards.new.track: truerate/tracks/torn/settings.py cannot be imported: SyntaxError",
    "lost": "boards.new.track: track 'lost': `asks` of its Settings names 'subject', which is no setting of it; "
    "did you mean 'subjects'?; there: subjects",
    "half": "track 'half': its Half lacks `settings`; every protocol has: contexts, exported, name, score, settings, sizes",
    "mute": "params.yaml: track 'mute': tracks/mute/protocol.py must hold `PROTOCOL`, an object of a class of tracks/protocol.py",
}
SCRIPT = """
import contextlib, io, json, sys
from truerate.cli import main
from truerate.config.layout import Layout
from truerate.pipeline import sources
from truerate.pipeline.tracks import marking_tracks

def run():
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        return main(["params"]), told.getvalue()

found, text = {"nobody": run()}, open("params.yaml").read()
sources.import_source(Layout.load(), "few")
found["marking"] = marking_tracks()
for name in sys.argv[1:]:
    with open("params.yaml", "w") as file:
        file.write(text.replace("track: halueval", "track: " + name, 1).replace("tracks:\\n", "tracks:\\n" + (
            "" if name in ("bare", "torn", "lost") else "  " + name + ": {subjects: [quill]}\\n"), 1).replace(
            "  demo:\\n", "  demo:\\n    " + name + ": {}\\n", 1))
    found[name] = run()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict:
    """What the first stage says with all these tracks there: used by nobody, then each by the board `new`."""
    folder = tmp_path_factory.mktemp("broken")
    package = folder / "src/truerate"
    (package / "tracks").mkdir(parents=True)
    for room in (ROOT / "src/truerate").iterdir():
        if room.name not in ("tracks", "__pycache__"):
            (package / room.name).symlink_to(room)
    for one in (ROOT / "src/truerate/tracks").iterdir():
        (package / "tracks" / one.name).symlink_to(one)
    (folder / "src/truerate_world").symlink_to(ROOT / "src/truerate_world")
    (folder / "rules").symlink_to(ROOT / "rules")
    (folder / "inputs/few").mkdir(parents=True)
    (folder / "inputs/few/alpaca.json").write_text(
        json.dumps([{"instruction": "Why?", "input": "", "output": "So."}])
    )
    for name, files in TRACKS.items():
        (package / "tracks" / name).mkdir()
        for module, text in (files | {"__init__": ""}).items():
            (package / "tracks" / name / f"{module}.py").write_text(text)
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["boards"] = {"new": {"track": "halueval", "source": "few"}}
    params["sources"] = {"few": {"reader": "alpaca", "path": "inputs/few"}}
    params["detectors"], params["public_data"] = {}, {}
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    own = os.environ | {"PYTHONPATH": str(folder / "src"), "TRUERATE_STORE": str(folder / "store.sqlite")}
    words = [sys.executable, "-c", SCRIPT.replace("\\\\", "\\"), *TRACKS]
    done = subprocess.run(words, cwd=folder, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", TRACKS)
def test_a_board_that_uses_one_is_told_in_one_line(told, name):
    code, said = told[name]
    assert code == 2 and said.count("\n") == 1 and SAID[name] in said, said
