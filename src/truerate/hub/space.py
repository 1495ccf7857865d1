"""The built site as a static Space of the Hub: every page as it lies, and a card that names it."""

import os
from pathlib import Path

import yaml

from truerate.core.errors import TruerateError
from truerate.hub.release import CHANGELOG, CHECKSUMS, MARK, README, STATEMENT, Draft

INDEX = "index.html"
# What no page needs: maps of the theme's scripts, a second site map, the theme's search in other languages.
LEFT, OTHER_LANGUAGES = (".map", ".gz"), "assets/javascripts/lunr/"
BESIDE_PAGES = (README, MARK, CHECKSUMS, CHANGELOG, STATEMENT)  # what stands beside the pages


def draft_of(folder: Path, *, title: str) -> Draft:
    """The draft of the site that lies in `folder`.

    Raises TruerateError where it is not built, or holds a link or a file under a name that the release needs.
    """
    folder = Path(folder)
    if not (folder / INDEX).is_file():
        raise TruerateError(f"publishing the site: no {INDEX} in {str(folder)!r}; run `dvc repro site` first")
    paths = [Path(directory) / name for directory, _, names in os.walk(folder) for name in names]
    if link := next((path for path in paths if path.is_symlink()), None):
        raise TruerateError(f"publishing the site: {str(link)!r} is a link; run `dvc repro site` anew")
    named = {path.relative_to(folder).as_posix(): path for path in sorted(paths) if path.suffix not in LEFT}
    pages = {name: path for name, path in named.items() if not name.startswith(OTHER_LANGUAGES)}
    if taken := next((name for name in BESIDE_PAGES if name in pages), None):
        problem = f"{taken!r} is a name that the release needs; rename that page"
        raise TruerateError(f"publishing the site: {problem}")
    plain = " ".join(title.split())
    head = {"title": plain[:80], "emoji": "📏", "colorFrom": "blue", "colorTo": "gray"}
    head |= {"sdk": "static", "app_file": INDEX}
    text = "The static site of a leaderboard built by truerate; open it by the tab *App*."
    card = f"---\n{yaml.safe_dump(head, allow_unicode=True, sort_keys=False)}---\n\n{text}"
    folders = tuple(sorted({f"{path.split('/')[0]}/" for path in pages if "/" in path}))
    summary = f"site {plain}: {len(pages)} files"
    return Draft("space", "site", summary, {**pages, README: card.encode()}, folders)
