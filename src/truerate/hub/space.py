"""The built site as a static Space of the Hub: every page as it lies, and a card that names it."""

import os
from dataclasses import dataclass
from pathlib import Path

import yaml

from truerate.core.errors import TruerateError
from truerate.hub.kept import Kept
from truerate.hub.release import CHANGELOG, CHECKSUMS, MARK, README, Files, Stamp, finished

INDEX = "index.html"
# What no page needs: maps of the theme's scripts, a second site map, the theme's search in other languages.
LEFT, OTHER_LANGUAGES = (".map", ".gz"), "assets/javascripts/lunr/"
OWN = (README, MARK, CHECKSUMS, CHANGELOG)  # what stands beside the pages


@dataclass(frozen=True)
class SpaceDraft:
    """A Draft: the pages of a site by their path, sorted, and its title."""

    title: str
    pages: Files
    name: str = "site"

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The folders of the site: pages that it no longer has are deleted there."""
        return tuple(sorted({f"{path.split('/')[0]}/" for path in self.pages if "/" in path}))

    @property
    def summary(self) -> str:
        """One line for the commit and the change log."""
        return f"site {self.title}: {len(self.pages)} files"

    def files(self, *, stamp: Stamp, changelog: str, kept: Kept) -> Files:
        """All files of the repository, sorted by path; pages by where they lie."""
        return finished(self, "space", self.pages, self._card(), stamp=stamp, changelog=changelog, kept=kept)

    def _card(self) -> str:
        head = {"title": self.title[:80], "emoji": "📏", "colorFrom": "blue", "colorTo": "gray"}
        head |= {"sdk": "static", "app_file": INDEX}
        yaml_head = yaml.safe_dump(head, allow_unicode=True, sort_keys=False)
        text = "The static site of a leaderboard built by truerate; open it by the tab *App*."
        return f"---\n{yaml_head}---\n\n{text}"


def draft_of(folder: Path, *, title: str) -> SpaceDraft:
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
    if taken := next((name for name in OWN if name in pages), None):
        problem = f"{taken!r} is a name that the release needs; rename that page"
        raise TruerateError(f"publishing the site: {problem}")
    return SpaceDraft(" ".join(title.split()), pages)
