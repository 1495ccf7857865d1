"""One repository of the Hub: what it holds at a commit, and the calls that change it, retried."""

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NamedTuple

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_session, hf_hub_url
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

from truerate.core.errors import EndpointError
from truerate.hub.client import Busy, Retries
from truerate.hub.release import CHANGELOG, MARK, README, Files, Kind, Target, size_of

MISSING = (403, 404, 405, 501)  # a server that does not know a question, or does not answer it


class Entry(NamedTuple):
    """A listed file: `blob` is its git object, `sha256` that of its content if LFS holds it, else None."""

    size: int
    blob: str
    sha256: str | None


@dataclass(frozen=True)
class State:
    """What a repository holds at `commit` (None: nothing yet): files, our mark, change log, card."""

    commit: str | None = None
    files: Mapping[str, Entry] = field(default_factory=dict)
    mark: Mapping[str, str] | None = None
    changelog: str = ""
    readme: str = ""


class Status(NamedTuple):
    """A repository's head and whether it is private; None for both where it is not there."""

    head: str | None
    is_private: bool | None


@dataclass(frozen=True)
class Repository:
    """The repository of a target. Every method raises TruerateError, one line, if the Hub fails."""

    target: Target
    retries: Retries

    @property
    def name(self) -> str:
        """`organisation/name`, as the Hub knows it."""
        return self.target.repo

    @property
    def kind(self) -> Kind:
        """Whether it holds a data set or a model."""
        return self.target.kind

    def whoami(self) -> Mapping:
        """What the Hub says of the token and its account; nothing where a mirror does not answer such questions."""

        def ask() -> Mapping:
            answer = get_session().get(f"{HfApi().endpoint}/api/whoami-v2", headers=build_hf_headers())
            if answer.status_code in MISSING:
                return {}
            hf_raise_for_status(answer)
            answer_json = answer.json()
            return answer_json if isinstance(answer_json, Mapping) else {}

        return self.retries.call(f"asking whether this token may write to {self.name}", ask)

    def status(self) -> Status:
        """Return its head and visibility. A repository that the token cannot see counts as absent."""

        def ask() -> Status:
            """One try; a repository that is gated, or a token that is refused, is no missing repository."""
            try:
                info = HfApi().repo_info(self.name, repo_type=self.kind)
            except GatedRepoError:
                raise
            except RepositoryNotFoundError as error:
                if (
                    error.response.status_code == 401
                    and error.response.headers.get("x-error-code") != "RepoNotFound"
                ):
                    raise
                return Status(None, None)
            return Status(info.sha, bool(info.private))

        return self.retries.call(f"looking for {self.name}", ask)

    def tags(self) -> dict[str, str]:
        """Its tags and the commits they stand at."""
        refs = self.retries.call(
            f"reading the tags of {self.name}", lambda: HfApi().list_repo_refs(self.name, repo_type=self.kind)
        )
        return {tag.name: tag.target_commit for tag in refs.tags}

    def files(self, commit: str) -> dict[str, Entry]:
        """All its files at a commit."""

        def ask() -> dict[str, Entry]:
            tree = HfApi().list_repo_tree(self.name, recursive=True, revision=commit, repo_type=self.kind)
            return {entry.path: _entry(entry) for entry in tree if isinstance(entry, RepoFile)}

        return self.retries.call(f"listing {self.name} at {commit[:8]}", ask)

    def state(self, commit: str | None) -> State:
        """What it holds at a commit; an empty state for None."""
        if commit is None:
            return State()
        files = self.files(commit)
        mark = _mark(self._text(MARK, commit, files))
        changelog = self._text(CHANGELOG, commit, files) if mark else ""
        return State(commit, files, mark, changelog, self._text(README, commit, files))

    def _text(self, path: str, commit: str, files: Mapping[str, Entry]) -> str:
        """A small text file at a commit, verified by its hash; empty if there is none."""

        def ask() -> str:
            url = hf_hub_url(self.name, path, repo_type=self.kind, revision=commit)
            answer = get_session().get(url, headers=build_hf_headers())
            hf_raise_for_status(answer)
            if not matches(answer.content, files[path]):
                raise Busy(f"{path} did not arrive as the Hub lists it")
            return answer.content.decode("utf-8", "replace")

        return (
            self.retries.call(f"reading {path} of {self.name} at {commit[:8]}", ask) if path in files else ""
        )

    def check_card(self, card: str) -> None:
        """Let the Hub validate a README.md before anything is uploaded."""

        def ask() -> None:
            words = {"content": card, "repoType": self.kind}
            hf_raise_for_status(
                get_session().post(
                    f"{HfApi().endpoint}/api/validate-yaml", json=words, headers=build_hf_headers()
                )
            )

        self.retries.call(f"having the card of {self.name} checked", ask)

    def create(self) -> None:
        """Make it, unless it is there (the answer of an earlier try may have been lost)."""
        private = not self.target.is_public
        form = {"space_sdk": "static"} if self.kind == "space" else {}

        def ask() -> None:
            try:
                HfApi().create_repo(self.name, repo_type=self.kind, private=private, **form)
            except HfHubHTTPError as error:
                if error.response.status_code != 409:
                    raise

        self.retries.call(f"creating {self.name}", ask)

    def upload(self, files: Files) -> list[CommitOperationAdd]:
        """Bring files to the Hub's store (nobody sees them yet) and return what a commit needs of them;
        stored ones are not sent again.

        A .gitignore in the repository is not obeyed: it would leave shards out of the commit.
        """

        def ask() -> list[CommitOperationAdd]:
            adding = [
                CommitOperationAdd(path, content) for path, content in sorted(files.items())
            ]  # no operation can be used twice
            if adding:
                options = {"repo_type": self.kind, "gitignore_content": "", "free_memory": False}
                HfApi().preupload_lfs_files(self.name, adding, **options)
            return adding

        return self.retries.call(f"uploading to {self.name}", ask)

    def commit_once(
        self,
        adding: Sequence[CommitOperationAdd],
        deleting: Sequence[str],
        *,
        parent: str | None,
        message: str,
    ) -> str:
        """Commit on `parent` with one try; return its id. Raises the client's own errors."""
        operations = [*adding, *(CommitOperationDelete(path, is_folder=False) for path in deleting)]
        target = {"repo_type": self.kind, "revision": "main", "parent_commit": parent}
        with warnings.catch_warnings():  # the rows behind a site's numbers belong to the site
            warnings.filterwarnings("ignore", message=".*commit a data file .* to a space repository")
            return HfApi().create_commit(self.name, operations, commit_message=message, **target).oid

    def make_tag(self, tag: str, commit: str) -> None:
        """Set a tag and see that it stands where it should; a tag that is there already is never moved."""

        def ask() -> None:
            HfApi().create_tag(self.name, tag=tag, revision=commit, repo_type=self.kind, exist_ok=True)

        self.retries.call(f"tagging {self.name} {tag}", ask)
        if (tagged := self.tags().get(tag)) != commit:
            stands = (
                f"stands at {tagged[:8]}, not at {commit[:8]}"
                if tagged
                else "is not there although the Hub said yes"
            )
            raise EndpointError(
                f"tagging {self.name}: {tag!r} {stands}; the commit itself is whole: run it again, with another --tag"
            )

    def make_public(self) -> None:
        """Let everybody see it."""
        self.retries.call(
            f"making {self.name} public",
            lambda: HfApi().update_repo_settings(self.name, private=False, repo_type=self.kind),
        )


def matches(content: bytes | Path, entry: Entry) -> bool:
    """Whether a local file is what the Hub lists. What LFS holds may be large and is read in pieces."""
    if size_of(content) != entry.size:
        return False
    if entry.sha256 and isinstance(content, Path):
        with content.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
    data = content if isinstance(content, bytes) else content.read_bytes()
    if entry.sha256:
        return hashlib.sha256(data).hexdigest() == entry.sha256
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == entry.blob


def _entry(file: RepoFile) -> Entry:
    return (
        Entry(file.size, file.blob_id, file.lfs.sha256) if file.lfs else Entry(file.size, file.blob_id, None)
    )


def _mark(text: str) -> dict[str, str] | None:
    """What truerate.json says, or None where we did not write it."""
    try:
        mark = json.loads(text)
        date.fromisoformat(mark["dated"])
        optional = [key for key in ("maker", "card") if isinstance(mark.get(key), str)]
        return {key: mark[key] for key in ("kind", "name", "dated", *optional) if isinstance(mark[key], str)}
    except (ValueError, KeyError, TypeError):
        return None
