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
from truerate.hub.release import CHANGELOG, MARK, README, STATEMENT, Files, Target, sha256, size_of

MISSING = (403, 404, 405, 501)  # a server that does not know a question, or does not answer it


class Entry(NamedTuple):
    """A listed file: `blob` is its git object, `sha256` that of its content if LFS holds it, else None."""

    size: int
    blob: str
    sha256: str | None


@dataclass(frozen=True)
class State:
    """What a repository holds at `commit` (None: nothing yet): files, our mark, change log, card, statement."""

    commit: str | None = None
    files: Mapping[str, Entry] = field(default_factory=dict)
    mark: Mapping[str, str] | None = None
    changelog: str = ""
    readme: str = ""
    statement: str = ""


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
    def _kind(self) -> dict:
        return {"repo_type": self.target.kind}

    def whoami(self) -> Mapping:
        """Return what the Hub says of the token and its account; nothing where a mirror does not answer that."""

        def ask() -> Mapping:
            answer = get_session().get(f"{HfApi().endpoint}/api/whoami-v2", headers=build_hf_headers())
            if answer.status_code in MISSING:
                return {}
            hf_raise_for_status(answer)
            who = answer.json()
            return who if isinstance(who, Mapping) else {}

        return self.retries.call(f"asking whether this token may write to {self.name}", ask)

    def status(self) -> Status:
        """Return its head and visibility. A repository that the token cannot see counts as absent."""

        def ask() -> Status:
            """One try; a repository that is gated, or a token that is refused, is no missing repository."""
            try:
                info = HfApi().repo_info(self.name, **self._kind)
            except RepositoryNotFoundError as error:
                status, code = error.response.status_code, error.response.headers.get("x-error-code")
                if isinstance(error, GatedRepoError) or (status == 401 and code != "RepoNotFound"):
                    raise
                return Status(None, None)
            return Status(info.sha, bool(info.private))

        return self.retries.call(f"looking for {self.name}", ask)

    def tags(self) -> dict[str, str]:
        """Its tags and the commits they stand at."""
        doing = f"reading the tags of {self.name}"
        refs = self.retries.call(doing, lambda: HfApi().list_repo_refs(self.name, **self._kind))
        return {tag.name: tag.target_commit for tag in refs.tags}

    def files(self, commit: str) -> dict[str, Entry]:
        """All its files at a commit."""

        def ask() -> dict[str, Entry]:
            tree = HfApi().list_repo_tree(self.name, recursive=True, revision=commit, **self._kind)
            return {
                file.path: Entry(file.size, file.blob_id, file.lfs.sha256 if file.lfs else None)
                for file in tree
                if isinstance(file, RepoFile)
            }

        return self.retries.call(f"listing {self.name} at {commit[:8]}", ask)

    def state(self, commit: str | None) -> State:
        """Return what it holds at a commit; an empty state for None."""
        if commit is None:
            return State()
        files = self.files(commit)
        mark = _mark(self._text(MARK, commit, files))
        changelog, statement = (
            self._text(path, commit, files) if mark else "" for path in (CHANGELOG, STATEMENT)
        )
        return State(commit, files, mark, changelog, self._text(README, commit, files), statement)

    def _text(self, path: str, commit: str, files: Mapping[str, Entry]) -> str:
        """A small text file at a commit, verified by its hash; empty if there is none."""
        if path not in files:
            return ""

        def ask() -> str:
            url = hf_hub_url(self.name, path, revision=commit, **self._kind)
            answer = get_session().get(url, headers=build_hf_headers())
            hf_raise_for_status(answer)
            if not matches(answer.content, files[path]):
                raise Busy(f"{path} did not arrive as the Hub lists it")
            return answer.content.decode("utf-8", "replace")

        return self.retries.call(f"reading {path} of {self.name} at {commit[:8]}", ask)

    def check_card(self, card: str) -> None:
        """Let the Hub validate a README.md before anything is uploaded."""
        how = {"json": {"content": card, "repoType": self.target.kind}, "headers": build_hf_headers()}
        address = f"{HfApi().endpoint}/api/validate-yaml"
        doing = f"having the card of {self.name} checked"
        self.retries.call(doing, lambda: hf_raise_for_status(get_session().post(address, **how)))

    def create(self) -> None:
        """Make it, unless it is there (the answer of an earlier try may have been lost)."""
        form: dict = {"space_sdk": "static"} if self.target.kind == "space" else {}
        form |= {"private": not self.target.is_public}

        def ask() -> None:
            try:
                HfApi().create_repo(self.name, **self._kind, **form)
            except HfHubHTTPError as error:
                if error.response.status_code != 409:
                    raise

        self.retries.call(f"creating {self.name}", ask)

    def upload(self, files: Files) -> list[CommitOperationAdd]:
        """Bring files to the Hub's store (nobody sees them yet; stored ones are not sent again) and return
        what a commit needs of them. A .gitignore in the repository is not obeyed: it would leave shards out.
        """

        def ask() -> list[CommitOperationAdd]:
            # no operation can be used twice
            adding = [CommitOperationAdd(path, content) for path, content in sorted(files.items())]
            if adding:
                options = {"gitignore_content": "", "free_memory": False, **self._kind}
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
        how = {"commit_message": message, "revision": "main", "parent_commit": parent, **self._kind}
        with warnings.catch_warnings():  # the rows behind a site's numbers belong to the site
            warnings.filterwarnings("ignore", message=".*commit a data file .* to a space repository")
            return HfApi().create_commit(self.name, operations, **how).oid

    def make_tag(self, tag: str, commit: str) -> None:
        """Set a tag and see that it stands where it should; a tag that is there already is never moved."""
        how = {"tag": tag, "revision": commit, "exist_ok": True, **self._kind}
        self.retries.call(f"tagging {self.name} {tag}", lambda: HfApi().create_tag(self.name, **how))
        if (tagged := self.tags().get(tag)) != commit:
            stands = f"stands at {tagged[:8]}, not at {commit[:8]}" if tagged else "is not there"
            stands += "" if tagged else " although the Hub said yes"
            advice = "the commit itself is whole: run it again, with another --tag"
            raise EndpointError(f"tagging {self.name}: {tag!r} {stands}; {advice}")

    def make_public(self) -> None:
        """Let everybody see it."""
        how = {"private": False, **self._kind}
        doing = f"making {self.name} public"
        self.retries.call(doing, lambda: HfApi().update_repo_settings(self.name, **how))


def matches(content: bytes | Path, entry: Entry) -> bool:
    """Return whether a local file is what the Hub lists. What LFS holds may be large and is read in pieces."""
    if size_of(content) != entry.size:
        return False
    if entry.sha256:
        return sha256(content) == entry.sha256
    data = content if isinstance(content, bytes) else content.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == entry.blob


def _mark(text: str) -> dict[str, str] | None:
    """Return what truerate.json says, or None where we did not write it."""
    try:
        mark = json.loads(text)
        date.fromisoformat(mark["dated"])
        optional = [key for key in ("maker", "card") if isinstance(mark.get(key), str)]
        return {key: mark[key] for key in ("kind", "name", "dated", *optional) if isinstance(mark[key], str)}
    except (ValueError, KeyError, TypeError):
        return None
