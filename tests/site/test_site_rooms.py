"""What belongs to one track stands in its own folders: modules, templates and scripts; every template can be read."""

import re
from pathlib import Path

import pytest
from jinja2 import Environment

from truerate.site.layout import Page
from truerate.site.registry import page_of

HOUSE = Path(__file__).parents[2]
SITE, ROOM = HOUSE / "site", HOUSE / "src/truerate/site"
TRACKS = sorted(path.parent.name for path in (HOUSE / "src/truerate/tracks").glob("*/card.yaml"))
TEMPLATES = sorted(
    path for folder in ("site/templates", "src/truerate") for path in (HOUSE / folder).rglob("*.j2")
)
LONGEST = 140


def test_no_line_of_a_template_is_too_long():
    long = [
        f"{path.relative_to(HOUSE)}:{number}"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > LONGEST
    ]
    assert len(TEMPLATES) > 40 and not long


def macros(path: Path) -> dict[str, int]:
    """How many lines stand in each macro of a template, by its name; nested ones count in theirs, too."""
    found, open_at = {}, []
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        open_at += [(name, number) for name in re.findall(r"\{% macro (\w+)", line)]
        for _ in re.findall(r"endmacro", line):
            name, start = open_at.pop()
            found[name] = number - start - 1
    return found


def test_no_macro_is_long():
    sizes = [size for path in (SITE / "templates").rglob("*.j2") for size in macros(path).values()]
    assert len(sizes) > 40 and max(sizes) <= 13 and sorted(sizes)[len(sizes) // 2] <= 8


@pytest.mark.parametrize(
    "folder", ["src/truerate/site", "site/templates", "site/assets", "src/truerate/hub/templates"]
)
def test_no_shared_file_names_a_track(folder):
    files = (path for path in (HOUSE / folder).iterdir() if path.suffix in (".py", ".j2", ".js"))
    shared = [path for path in files if path.name != "registry.py"]  # which imports what belongs to tracks
    named = {
        (path.name, track) for path in shared for track in TRACKS if track in path.read_text("utf-8").lower()
    }
    assert shared and not named


def test_a_room_is_of_a_track():
    """No folder of modules, templates or scripts whose track is not there."""
    for folder in (ROOM, SITE / "templates", SITE / "assets"):
        rooms = {path.name for path in folder.iterdir() if path.is_dir() and path.name != "__pycache__"}
        of_all = {"real", "samples", "charts", "home", "models", "downloads", "methods"}
        assert rooms <= {*TRACKS, *of_all}, folder


@pytest.mark.parametrize("track", TRACKS)
def test_what_a_page_names_is_there(track):
    page = page_of(track)
    assert page.sections and page != Page()
    parts = [part for part in (page.opening, *(section.part for section in page.sections)) if part]
    for part in parts:
        source = (SITE / "templates" / part.template).read_text("utf-8")
        assert "{% macro show(made, board, flags) %}" in source, part.template
        Environment(extensions=[]).parse(source)
    for name in (*page.scripts, *page.record_scripts):
        assert (SITE / "assets" / name).is_file(), name
    assert len({section.heading for section in page.sections}) == len(page.sections)


def test_tracks_rooms_import_no_other_track():
    for path in ROOM.rglob("*.py"):
        room = path.relative_to(ROOM).parts[0]
        if room == "registry.py":
            continue
        others = [
            track for track in TRACKS if track != room and f"truerate.site.{track}" in path.read_text("utf-8")
        ]
        assert not others, path
