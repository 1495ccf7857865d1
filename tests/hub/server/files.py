"""Reading: the tree of a revision page by page, some of its paths, its commits, and the files themselves."""

import hashlib
from urllib.parse import parse_qs, quote, unquote

from .names import kinds_of
from .objects import signed
from .site import REPO, Site, commit_at, find, find_for_files
from .state import Commit, Entry, Repo
from .wire import Answer, Refusal, Request, of_json, ranged

RESOLVE = r"/(?P<page>datasets/|spaces/)?(?P<name>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)"


def tree(site: Site, request: Request, kinds: str, name: str, revision: str, path: str = "") -> Answer:
    """The entries below a folder, by path, with a link to the next page."""
    repo, _ = find(site, request, kinds, name)
    commit, below = commit_at(repo, revision), unquote(path).strip("/")
    entries = listed(commit, below)
    if below and not entries:
        raise Refusal(404, f"{below} does not exist on {unquote(revision)!r}", "EntryNotFound")
    if not request.is_asked("recursive"):
        entries = {each: entry for each, entry in entries.items() if "/" not in each[len(below) :].strip("/")}
    after = request.first("cursor")
    rest = [each for each in sorted(entries) if each > after]
    page = rest[: site.limits.page]
    headers = {}
    if len(rest) > len(page):
        kept = "".join(
            f"{key}={quote(request.first(key))}&" for key in ("recursive", "expand") if key in request.query
        )
        headers["Link"] = f'<{site.url}{request.path}?{kept}cursor={quote(page[-1], safe="")}>; rel="next"'
    shown = [
        shape(repo, each, entries[each], commit=commit if request.is_asked("expand") else None)
        for each in page
    ]
    return of_json(shown, headers=headers)


def listed(commit: Commit, below: str) -> dict[str, Entry | None]:
    """Files and folders (None) below a folder."""
    prefix = f"{below}/" if below else ""
    files = {path: entry for path, entry in commit.tree.items() if path.startswith(prefix)}
    parts = (path.split("/") for path in files)
    folders = {"/".join(each[:n]): None for each in parts for n in range(1, len(each))}
    return {path: None for path in folders if path.startswith(prefix)} | files


def shape(repo: Repo, path: str, entry: Entry | None, *, commit: Commit | None) -> dict:
    """An entry as the Hub shows it; with `commit`, also when it came to be as it is."""
    last = {}
    if commit:
        last = {"lastCommit": {"id": commit.oid, "title": commit.title, "date": commit.date}}
        for older in repo.history(commit.parent):
            if entry is None or older.tree.get(path) != entry:
                break
            last = {"lastCommit": {"id": older.oid, "title": older.title, "date": older.date}}
    if entry is None:
        return {
            "type": "directory",
            "oid": hashlib.sha1(path.encode()).hexdigest(),
            "size": 0,
            "path": path,
        } | last
    results = {"type": "file", "oid": entry.oid, "size": entry.size, "path": path} | last
    return results | (
        {"lfs": {"oid": entry.sha256, "size": entry.size, "pointerSize": len(entry.pointer)}}
        if entry.sha256
        else {}
    )


def paths_info(site: Site, request: Request, kinds: str, name: str, revision: str) -> Answer:
    """Some paths of a revision; those that are not there are left out."""
    repo, _ = find(site, request, kinds, name)
    commit = commit_at(repo, revision)
    is_form = "form" in request.headers.get("Content-Type", "")
    asked = parse_qs(request.body.decode()) if is_form else request.json()
    entries, expand = listed(commit, ""), str(asked.get("expand", "")).lower().strip("[']") == "true"
    wanted = [path.strip("/") for path in asked.get("paths", [])]
    return of_json(
        [
            shape(repo, path, entries[path], commit=commit if expand else None)
            for path in wanted
            if path in entries
        ]
    )


def commits(site: Site, request: Request, kinds: str, name: str, revision: str) -> Answer:
    """The commits up to a revision, newest first."""
    repo, _ = find(site, request, kinds, name)
    history = repo.history(commit_at(repo, revision).oid)
    return of_json([
        {"id": commit.oid, "title": commit.title, "message": commit.message, "authors": [{"user": commit.author}], "date": commit.date}
        for commit in history
    ])  # fmt: skip


def resolve(site: Site, request: Request, page: str | None, name: str, revision: str, path: str) -> Answer:
    """A file at a revision: itself, or for a large object the address where it is stored."""
    repo = find_for_files(site, request, kinds_of(page), name)
    commit = commit_at(repo, revision)
    entry, headers = commit.tree.get(unquote(path)), {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
    if entry is None:
        refused = Refusal(404, f"Entry not found: {unquote(path)}", "EntryNotFound").answer()
        refused.headers |= headers
        return refused
    if entry.sha256:
        headers |= {"X-Linked-Etag": f'"{entry.sha256}"', "X-Linked-Size": str(entry.size)}
        return Answer(302, b"", headers | {"Location": signed(site, "GET", repo, entry.sha256)})
    return ranged(
        request,
        repo.content(entry),
        headers | {"ETag": f'"{entry.oid}"', "Content-Type": "text/plain; charset=utf-8"},
    )


ROUTES = [
    ("GET", REPO + r"/tree/(?P<revision>[^/]+)(?:/(?P<path>.*))?", tree),
    ("POST", REPO + r"/paths-info/(?P<revision>[^/]+)", paths_info),
    ("GET", REPO + r"/commits/(?P<revision>[^/]+)", commits),
    ("GET", RESOLVE, resolve),
]
