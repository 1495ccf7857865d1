"""The code blocks of the guide's pages, with the marks of those that are not run."""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "site/pages/guide"
MARK = re.compile(r"<!-- not run: (.+) -->")
FENCE = re.compile(r"```(\w*)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its page and line, its language, its text, and why it is not run (None: it is)."""

    page: str
    line: int
    language: str
    text: str
    mark: str | None

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """The pages of the guide in the order of the site's navigation."""
    nav = yaml.safe_load((ROOT / "site/mkdocs.yml").read_text("utf-8"))["nav"]
    (guide,) = (entry["Guide"] for entry in nav if "Guide" in entry)
    named = [entry if isinstance(entry, str) else next(iter(entry.values())) for entry in guide]
    return [name.removeprefix("guide/") for name in named]


def blocks_of(page: str, folder: Path = GUIDE) -> list[Block]:
    """The fenced blocks of a page, in their order."""
    found, language, start, before = [], None, 0, ""
    lines = (folder / page).read_text("utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        fence = FENCE.fullmatch(line)
        if language is None and fence:
            mark = MARK.fullmatch(before)
            language, start, reason = fence[1], number, mark and mark[1]
        elif language is not None and line == "```":
            found.append(Block(page, start, language, "\n".join(lines[start : number - 1]) + "\n", reason))
            language = None
        before = line
    assert language is None, f"{page}:{start}: the block is not closed"
    return found


def blocks() -> list[Block]:
    """All blocks of the guide, in the order of its pages."""
    return [block for page in pages() for block in blocks_of(page)]
