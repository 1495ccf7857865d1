"""Which names of repositories, paths, branches and tags are taken."""

import re

from .wire import Refusal

KINDS = {"models": "model", "datasets": "dataset", "spaces": "space"}
PAGES = {"model": "", "dataset": "datasets/", "space": "spaces/"}  # how the page of a repository begins
MAX_NAME = 96
FORBIDDEN_PARTS = (".git", ".huggingface", ".cache", ".", "..", "")


def kinds_of(page: str | None) -> str:
    """The kinds of repositories whose pages begin so: `datasets`, `spaces`, else `models`."""
    return (page or "models/").rstrip("/")


def check_repo_name(name: object) -> str:
    """A repository's name without its namespace; Refusal 400 says what is wrong with it."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
        raise Refusal(400, f"Invalid repo name: {name!r} - a name has 1 to {MAX_NAME} characters")
    if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
        raise Refusal(400, f"Invalid repo name: {name!r} - allowed are letters, digits, '-', '_' and '.'")
    if (
        "--" in name
        or ".." in name
        or name[0] in "-."
        or name[-1] in "-."
        or name.endswith((".git", ".ipynb"))
    ):
        raise Refusal(
            400,
            f"Invalid repo name: {name!r} - no '--' or '..', no '-' or '.' at either end, no '.git' at the end",
        )
    return name


def check_path(path: object, *, is_folder: bool = False) -> str:
    """A path inside a repository, of a folder without its closing slash; Refusal 400 where git or the Hub
    would not take it.
    """
    if not isinstance(path, str):
        raise Refusal(400, f"Invalid path: {path!r} is not a string")
    bare = path.removesuffix("/") if is_folder else path
    parts = bare.split("/")
    if (
        any(part in FORBIDDEN_PARTS for part in parts)
        or "\\" in bare
        or any(ord(letter) < 32 for letter in bare)
    ):
        raise Refusal(400, f"Invalid path: {path!r}")
    if any(len(part.encode()) > 255 for part in parts):
        raise Refusal(400, f"Invalid path: a part of {path[:80]!r}… is longer than 255 bytes")
    return bare


def check_ref(name: object, *, what: str) -> str:
    """The name of a branch or a tag, by git's rules; Refusal 400 where it breaks one, or looks like a commit."""
    bad = r"[\x00-\x20~^:?*\[\\]|\.\.|@\{|//|^[/.-]|[/.]$|\.lock$"
    if not isinstance(name, str) or not name or re.search(bad, name) or re.fullmatch(r"[0-9a-f]{40}", name):
        raise Refusal(400, f"Invalid {what} name: {name!r}")
    return name
