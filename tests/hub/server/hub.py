"""A running Hub: its two ports, and what tests want of it: addresses, tokens, faults, the content of
repositories, what was asked.
"""

import os
import re
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from tests.warm import warm

from . import objects, routes
from .accounts import OTHER_TOKEN, READ_TOKEN, WRITE_TOKEN
from .repos import Commit, Repo, Site, large, regular
from .wire import Answer, Fault, Faults, Listener, Refusal, Request

ROOT = Path(__file__).parents[3]


class Hub:
    """A Hub on loopback. Tokens: `token` writes as someone (in org too), `read_token` reads as someone,
    `other_token` writes as a stranger. `folder` is where its clients keep their caches.
    """

    token, read_token, other_token = WRITE_TOKEN, READ_TOKEN, OTHER_TOKEN

    def __init__(self, folder: Path, *, port: int = 0):
        self.folder, self.port, self.faults = Path(folder), port, Faults()
        self.site = self.limits = Site()
        self.requests: list[tuple[str, str, int]] = []  # method, path without query, status (0: no answer)
        self.listeners: list[Listener] = []

    def start(self) -> "Hub":
        """Listen on both ports."""
        for port, respond in ((self.port, self._answer), (0, self._store)):
            listener = Listener(port, respond, self.faults, log=self.requests)
            how = {"kwargs": {"poll_interval": 0.01}, "daemon": True}
            threading.Thread(target=listener.serve_forever, **how).start()
            self.listeners.append(listener)
        addresses = (f"http://127.0.0.1:{listener.server_address[1]}" for listener in self.listeners)
        self.site.url, self.site.objects_url = addresses
        return self

    def stop(self) -> None:
        """Close both ports and every connection."""
        while self.listeners:
            self.listeners.pop().close_all()

    @property
    def url(self) -> str:
        """Where the clients reach it, as HF_ENDPOINT."""
        return self.site.url

    def _answer(self, request: Request) -> Answer:
        return self._routed([*routes.ROUTES, *objects.ROUTES], request)

    def _store(self, request: Request) -> Answer:
        objects.refuse_token(request)
        return self._routed(objects.STORE_ROUTES, request)

    def _routed(self, listed: list, request: Request) -> Answer:
        """The answer of the function that serves an address; Refusal 404 where nothing does."""
        method = "GET" if request.method == "HEAD" else request.method
        for wanted, pattern, function in listed:
            if wanted == method and (match := re.fullmatch(pattern, request.path)):
                optional = ("revision", "path")
                named = {
                    key: value for key, value in match.groupdict().items() if value or key not in optional
                }
                return function(self.site, request, **named)
        raise Refusal(404, f"Nothing is served at {request.method} {request.path}")

    def fault(
        self, *, method: str = "POST", path: str = "", kind: str = "error", times: int | None = 1, **how
    ) -> None:
        """Let the next `times` requests (None: all) whose path (without query) holds the regex fail as `kind`
        says; see wire.Fault.
        """
        self.faults.waiting.append(Fault(method, path, kind, left=times, **how))

    # ---- what stands there ---------------------------------------------------------------------------------
    def repo(self, name: str, kind: str = "dataset") -> Repo:
        """A repository; KeyError where there is none."""
        return self.site.repos[kind, name]

    def exists(self, name: str, kind: str = "dataset") -> bool:
        """Whether there is such a repository."""
        return (kind, name) in self.site.repos

    def commits(self, name: str, kind: str = "dataset") -> list[str]:
        """The commits of main, newest first; the last is the Hub's own, with .gitattributes alone."""
        return [commit.oid for commit in reversed(self.repo(name, kind).commits)]

    def messages(self, name: str, kind: str = "dataset") -> list[str]:
        """The titles of the commits of main, newest first."""
        return [commit.title for commit in reversed(self.repo(name, kind).commits)]

    def files(
        self, name: str, revision: str = "main", kind: str = "dataset", *, with_attributes: bool = False
    ) -> dict[str, bytes]:
        """The files of a revision by path, without the Hub's own .gitattributes."""
        commit = self.repo(name, kind).commit(revision)
        if commit is None:
            raise KeyError(f"{kind} {name!r} has no revision {revision!r}")
        names = [path for path in commit.tree if with_attributes or path != ".gitattributes"]
        return {path: commit.tree[path].content for path in names}

    def tags(self, name: str, kind: str = "dataset") -> dict[str, str]:
        """The commit of each tag."""
        return dict(self.repo(name, kind).tags)

    def is_private(self, name: str, kind: str = "dataset") -> bool:
        """Whether only its owners see it."""
        return self.repo(name, kind).is_private

    def grant(self, name: str, user: str = "someone", kind: str = "dataset") -> None:
        """Let a user into a gated repository."""
        self.repo(name, kind).granted.add(user)

    def put_repo(
        self, name: str, kind: str = "dataset", files: Mapping[str, bytes | str] | None = None,
        *, private: bool = False, gated: bool = False, tag: str | None = None,
    ) -> str:  # fmt: skip
        """Files in a repository, as if its owner had put them there in one commit (in place of all it held);
        the commit.
        """
        with self.site.lock:
            settings = {"is_private": private, "is_gated": gated}
            repo = self.site.repos.setdefault((kind, name), Repo(kind, name, **settings))
            tree = {".gitattributes": repo.head.tree[".gitattributes"]}
            for path, content in (files or {}).items():
                raw = content.encode() if isinstance(content, str) else content
                is_large = self.site.must_be_large(path, len(raw), tree)
                tree[path] = large(raw) if is_large else regular(raw)
                if is_large:
                    repo.objects[tree[path].sha256] = raw
            repo.commits.append(Commit("made by somebody else", name.partition("/")[0], tree))
            if tag:
                repo.tags[tag] = repo.head.oid
        return repo.head.oid

    # ---- processes whose clients meet it -------------------------------------------------------------------
    def environment(
        self, *, token: str | None = WRITE_TOKEN, xet: bool = True, home: Path | None = None
    ) -> dict[str, str]:
        """A whole environment for a process whose clients shall meet this Hub, with caches of their own;
        `token=None`: anonymous.
        """
        others = ("HF_", "HUGGING", "TRANSFORMERS_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
        quiet = ("HF_HUB_DISABLE_PROGRESS_BARS", "HF_HUB_DISABLE_TELEMETRY")
        more = {"HF_TOKEN": token} if token else {}
        more |= {} if xet else {"HF_HUB_DISABLE_XET": "1"}
        return kept | more | dict.fromkeys(quiet, "1") | {
            "HF_ENDPOINT": self.url, "HF_HOME": str(home or self.folder / "home"), "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
        }  # fmt: skip

    def run(
        self, *command: str, check: bool = True, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess:
        """Run a module or a piece of code, with arguments, by this Python in the environment of this Hub and
        what is named besides.
        """
        is_code = re.search(r"\s|\(", command[0])
        words = [warm().python, "-c" if is_code else "-m", *command]
        how = {"cwd": cwd or ROOT, "env": self.environment() | environment, "timeout": 300}
        done = subprocess.run(words, capture_output=True, text=True, **how)
        assert not check or done.returncode == 0, f"{command}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done
