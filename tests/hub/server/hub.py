"""A running Hub: its two ports, and what tests want of it: addresses, tokens, faults, the content of
repositories, what was asked.
"""

import hashlib
import os
import re
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.warm import warm

from . import cards, commits, files, objects, repos
from .accounts import OTHER_TOKEN, READ_TOKEN, WRITE_TOKEN
from .faults import Fault, Faults
from .site import ATTRIBUTES, Limits, Site, attributes_of, must_be_large
from .state import Repo, State, large, write_whole
from .wire import Answer, Listener, Refusal, Request

ROOT = Path(__file__).parents[3]
ROUTES = [*repos.ROUTES, *files.ROUTES, *objects.ROUTES, *commits.ROUTES, *cards.ROUTES]


def find_route(routes: list, request: Request) -> Callable[[Site], Answer]:
    """The function that answers a request; Refusal 404 for an address that nothing serves."""
    method = "GET" if request.method == "HEAD" else request.method
    for wanted, pattern, function in routes:
        match = re.fullmatch(pattern, request.path) if wanted == method else None
        if match:
            named = {
                name: value
                for name, value in match.groupdict().items()
                if value is not None or name not in ("revision", "path")
            }
            return lambda site: function(site, request, **named)
    raise Refusal(404, f"Nothing is served at {request.method} {request.path}")


class Hub:
    """A Hub on loopback over the state in a folder.

    Tokens: `token` writes as someone (in org too), `read_token` reads as someone, `other_token` writes as a
    stranger.
    """

    token, read_token, other_token = WRITE_TOKEN, READ_TOKEN, OTHER_TOKEN

    def __init__(self, folder: Path, *, port: int = 0, on_crash: Callable[[], None] = lambda: None):
        self.folder, self.limits, self.faults = Path(folder), Limits(), Faults()
        self.state = State(self.folder / "state")
        self.site = Site(self.state, limits=self.limits)
        self.requests: list[tuple[str, str, int]] = []  # method, path without query, status (0: no answer)
        self.listeners: list[Listener] = []
        self.on_crash = on_crash
        self.ports, self.stopping = (port, 0), threading.Lock()

    def start(self) -> "Hub":
        """Listen; after a crash or a stop on the same ports as before."""
        for port, respond in zip(self.ports, (self._answer, self._store), strict=True):
            listener = Listener(port, respond, self.faults, seen=self.requests, on_crash=self.crash)
            threading.Thread(
                target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
            ).start()
            self.listeners.append(listener)
        self.ports = tuple(listener.server_address[1] for listener in self.listeners)
        self.site.url, self.site.objects_url = (f"http://127.0.0.1:{port}" for port in self.ports)
        return self

    def stop(self) -> None:
        """Close both ports and every connection; the state stays on disk."""
        with self.stopping:
            while self.listeners:
                self.listeners.pop().close_all()

    def crash(self) -> None:
        """What the fault of this name does."""
        self.stop()
        self.on_crash()

    def restart(self) -> None:
        """Come back at the same address with the state that is on disk."""
        self.stop()
        self.state = self.site.state = State(self.state.folder)
        self.start()

    @property
    def url(self) -> str:
        """Where the clients reach it, as HF_ENDPOINT."""
        return self.site.url

    @property
    def is_up(self) -> bool:
        """Whether it listens."""
        return bool(self.listeners)

    def _answer(self, request: Request) -> Answer:
        return find_route(ROUTES, request)(self.site)

    def _store(self, request: Request) -> Answer:
        objects.refuse_token(request)
        return find_route(objects.STORE_ROUTES, request)(self.site)

    def fault(
        self, *, method: str = "POST", path: str = "", kind: str = "error", times: int | None = 1,
        status: int = 503, retry_after: int | None = None, delay: float = 0.2,
    ) -> None:  # fmt: skip
        """Let the next `times` requests (None: all) whose path (without query) holds the regex fail as `kind`
        says; see faults.Fault.
        """
        self.faults.add(
            Fault(method, path, kind, left=times, status=status, retry_after=retry_after, delay=delay)
        )

    def clear(self) -> None:
        """Forget repositories, faults and requests."""
        self.state.clear()
        self.faults.clear()
        self.requests.clear()

    def repo(self, name: str, kind: str = "dataset") -> Repo:
        """A repository as it lies on disk; KeyError where there is none."""
        found = self.state.repo(kind, name)
        if found is None:
            raise KeyError(f"there is no {kind} {name!r}")
        return found

    def exists(self, name: str, kind: str = "dataset") -> bool:
        """Whether there is such a repository."""
        return self.state.repo(kind, name) is not None

    def commits(self, name: str, kind: str = "dataset") -> list[str]:
        """The commits of main, newest first; the last is the Hub's own, with .gitattributes alone."""
        repo = self.repo(name, kind)
        return [commit.oid for commit in repo.history(repo.resolve("main"))]

    def messages(self, name: str, kind: str = "dataset") -> list[str]:
        """The titles of the commits of main, newest first."""
        repo = self.repo(name, kind)
        return [commit.title for commit in repo.history(repo.resolve("main"))]

    def files(
        self, name: str, revision: str = "main", kind: str = "dataset", *, with_attributes: bool = False
    ) -> dict[str, bytes]:
        """The files of a revision by path, without the Hub's own .gitattributes."""
        repo = self.repo(name, kind)
        oid = repo.resolve(revision)
        if oid is None:
            raise KeyError(f"{kind} {name!r} has no revision {revision!r}")
        tree = repo.commit(oid).tree
        return {
            path: repo.content(entry)
            for path, entry in tree.items()
            if with_attributes or path != ".gitattributes"
        }

    def tags(self, name: str, kind: str = "dataset") -> dict[str, str]:
        """The commit of each tag."""
        return {tag: found["oid"] for tag, found in self.repo(name, kind).record["tags"].items()}

    def is_private(self, name: str, kind: str = "dataset") -> bool:
        """Whether only its owners see it."""
        return self.repo(name, kind).record["private"]

    def grant(self, name: str, user: str = "someone", kind: str = "dataset") -> None:
        """Let a user into a gated repository."""
        repo = self.repo(name, kind)
        repo.update(granted=[*repo.record["granted"], user])

    def put_repo(
        self, name: str, kind: str = "dataset", files: Mapping[str, bytes | str] | None = None,
        *, private: bool = False, gated: bool = False, tag: str | None = None,
    ) -> str:  # fmt: skip
        """Files in a repository, as if its owner had put them there in one commit (in place of all it held);
        the commit.
        """
        with self.state.lock:
            settings = {"visibility": "private" if private else "public", "gated": "auto" if gated else False}
            repo = self.state.repo(kind, name) or self.state.create(
                kind, name, attributes=ATTRIBUTES.encode(), **settings
            )
            record = repo.record
            head = repo.commit(record["branches"]["main"])
            tree = {".gitattributes": head.tree[".gitattributes"]}
            for path, content in (files or {}).items():
                content = content.encode() if isinstance(content, str) else content
                tree[path] = self._keep(repo, path, content, attributes=attributes_of(repo, tree))
            made = repo.put_commit(
                tree, parent=head.oid, title="made by somebody else", author=name.partition("/")[0]
            )
            record["branches"]["main"] = made.oid
            if tag:
                record["tags"][tag] = {"oid": made.oid, "message": ""}
            repo.save(record)
        return made.oid

    def _keep(self, repo: Repo, path: str, content: bytes, *, attributes: str):
        if not must_be_large(path, len(content), attributes=attributes, limits=self.limits):
            return repo.put_blob(content)
        entry = large(hashlib.sha256(content).hexdigest(), len(content))
        write_whole(repo.object_path(entry.sha256), content)
        return entry

    def environment(
        self, *, token: str | None = WRITE_TOKEN, xet: bool = True, home: Path | None = None
    ) -> dict[str, str]:
        """A whole environment for a process whose clients shall meet this Hub, with caches of their own;
        `token=None`: anonymous.
        """
        home = home or self.folder / "home"
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("HF_", "HUGGING", "TRANSFORMERS_"))
        }
        own = {
            "HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_UPDATE_DOWNLOAD_COUNTS": "0", "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }  # fmt: skip
        own |= {"HF_TOKEN": token} if token else {}
        return kept | own | ({} if xet else {"HF_HUB_DISABLE_XET": "1"})

    def run(
        self, *command: str, check: bool = True, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess:
        """Run a module or a piece of code, with arguments, by this Python in the environment of this Hub and
        what is named besides.
        """
        is_code = re.search(r"\s|\(", command[0])
        words = ["-c", *command] if is_code else ["-m", *command]
        done = subprocess.run(
            [warm().python, *words],
            env=self.environment() | environment,
            cwd=cwd or ROOT,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert not check or done.returncode == 0, f"{command}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done
