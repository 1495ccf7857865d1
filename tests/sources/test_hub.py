"""Pinned data sets of a strict Hub on loopback: what is downloaded, how it is checked, and what each thing
that goes wrong says.
"""

import io
import json
import re
from pathlib import Path

import polars as pl
import pytest
from huggingface_hub import constants

from tests.hub.server import wire
from tests.hub.server.wire import Played, play
from truerate.config import HubSource, Source
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.sources.hub import dataset as hub_module
from truerate.sources.hub.fetch import folder_of
from truerate.sources.reading import read_source

REPO = "org/metals"
CLAIMS = [
    {
        "setting": "zero_context", "id": "p1", "model": "m", "source": "NQ", "response": "Tin is a metal.",
        "row": n,
    }
    | {"claims": [{"triplet": ["tin", "is", f"metal {n}"], "human_label": "Entailment"}]}
    for n in range(1)
]  # fmt: skip
CARD = """---
license: mit
configs:
- config_name: claims
  default: true
  data_files: [{split: train, path: data/claims/train-*}, {split: test, path: data/claims/test-*}]
- config_name: other
  data_files: [{split: all, path: data/other/all-*}]
---
# Metals
"""


def parquet(rows):
    out = io.BytesIO()
    pl.DataFrame(rows).write_parquet(out)
    return out.getvalue()


FILES = {
    "README.md": CARD,
    "data/claims/train-00000-of-00001.parquet": parquet(CLAIMS),
    "data/claims/test-00000-of-00001.parquet": parquet([CLAIMS[0] | {"id": "p2"}]),
    "data/other/all-00000-of-00001.parquet": parquet({"n": [1]}),
    "notes.txt": "small, so kept by git itself\n",
}
BODIES = r"/resolve/|/objects/|/store/|parquet"


@pytest.fixture
def metals(hub_here):
    """The data set on the Hub; gives a source of its commit, of a config and split where they are named."""
    revision = hub_here.put_repo(REPO, files=FILES)
    return lambda **part: HubSource(repo=REPO, revision=revision, **part)


@pytest.fixture
def at(tmp_path, monkeypatch):
    """The committed settings in an empty folder."""
    text = (Path(__file__).parents[2] / "params.yaml").read_text("utf-8")
    (tmp_path / "work").mkdir()
    (tmp_path / "work/params.yaml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path / "work")
    return Layout.load()


def fetched(source):
    folder, files = hub_module.fetched("x", source)
    return {file: (folder / file).read_bytes() for file in files}


def refused(source):
    """The one line with which fetching ends."""
    with pytest.raises(TruerateError) as error:
        fetched(source)
    line = str(error.value)
    assert "\n" not in line and line.startswith(
        f"source 'x': data set {source.repo!r} at {source.revision[:8]} of the Hub: "
    )
    return line.split(" of the Hub: ", 1)[1]


def asked_for(hub):
    """The paths of the repository that were downloaded."""
    return {path.split("/resolve/")[1].split("/", 1)[1] for _, path, _ in hub.requests if "/resolve/" in path}


# ---- what is downloaded ------------------------------------------------------------------------------------
def test_all_files_of_the_commit_whatever_comes_after(hub_here, metals):
    source = metals()
    hub_here.put_repo(REPO, files={"README.md": "later"})
    results = fetched(source)
    assert {path: content for path, content in results.items() if path != ".gitattributes"} == {
        path: content.encode() if isinstance(content, str) else content for path, content in FILES.items()
    }


def test_of_a_config_and_split_its_files_alone(hub_here, metals):
    assert list(fetched(metals(config="claims", split="test"))) == ["data/claims/test-00000-of-00001.parquet"]
    assert asked_for(hub_here) == {"README.md", "data/claims/test-00000-of-00001.parquet"}


def test_a_config_without_split_is_all_its_splits_and_a_split_alone_is_the_default_config_s(metals):
    assert [Path(path).name[:5] for path in fetched(metals(config="claims"))] == ["test-", "train"]
    assert list(fetched(metals(split="train"))) == ["data/claims/train-00000-of-00001.parquet"]


def test_unknown_configs_and_splits_name_those_there_are(metals):
    assert (
        refused(metals(config="clams"))
        == "it has no config 'clams'; those there are: claims, other; set `config`"
    )
    assert (
        refused(metals(config="claims", split="dev"))
        == "its config 'claims' has no split 'dev'; those there are: test, train; set `split`"
    )


def test_the_reader_gets_a_folder_of_the_part_alone(at, metals):
    source = Source(reader="refchecker", hub=metals(config="claims", split="train"))
    folder = folder_of("x", source, at)
    assert [path.name for path in folder.iterdir()] == ["train-00000-of-00001.parquet"] and Path(
        "build"
    ) in folder.parents
    got = read_source("x", source, folder, "stop")
    assert sorted(got.samples["text"]) == ["Tin is a metal.", "tin is metal 0."]
    assert (
        folder_of("x", source.model_copy(update={"hub": metals(config="claims", split="test")}), at) == folder
    )
    assert [path.name for path in folder.iterdir()] == ["test-00000-of-00001.parquet"], (
        "an old link stays behind"
    )


# ---- once is enough ----------------------------------------------------------------------------------------
def test_what_was_fetched_needs_no_hub_and_is_not_read_again(hub_here, metals, monkeypatch):
    fetched(metals(config="claims"))
    hub_here.requests.clear()
    hub_here.stop()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(hub_module, "_checksum", None)  # hashing would fail
    assert len(fetched(metals(config="claims"))) == 2 and hub_here.requests == []


def test_offline_without_the_files_is_one_line(metals, monkeypatch):
    fetched(metals(config="claims", split="train"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    line = refused(metals(config="claims"))
    assert (
        line
        == "not all of it is here, and HF_HUB_OFFLINE forbids fetching it; unset that, run it once with a connection"
    )
    assert list(fetched(metals(config="claims", split="train")))


def test_a_download_that_broke_off_goes_on_with_what_is_missing(hub_here, metals, brisk):
    hub_here.fault(method="GET", path=r"resolve/.*/notes\.txt", kind="error", times=None)
    assert refused(metals()) == "the Hub answers 503; what came is kept: run it again later"
    hub_here.faults.clear()
    done = asked_for(hub_here) - {"notes.txt"}
    hub_here.requests.clear()
    assert fetched(metals())["notes.txt"] == FILES["notes.txt"].encode()
    assert "notes.txt" in asked_for(hub_here) and not asked_for(hub_here) & done


def test_a_file_that_changed_on_disk_is_fetched_again(hub_here, metals):
    folder, _ = hub_module.fetched("x", metals())
    blob = (folder / "notes.txt").resolve()
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes().upper())
    hub_here.requests.clear()
    assert fetched(metals())["notes.txt"] == FILES["notes.txt"].encode()
    assert asked_for(hub_here) == {"notes.txt"}


@pytest.mark.parametrize(
    "sums",
    [{"notes.txt": "git:" + "0" * 40}, {"notes.txt": 7}, {"notes.txt": None, "nutes.txt": "git:" + "0" * 40}],
)
def test_a_list_of_checksums_that_was_damaged_is_asked_for_again_and_stays_mended(sums, hub_here, metals):
    snapshot = hub_module.Snapshot(metals())
    good = {f"{path}": checksum for path, checksum in hub_module._listing(metals()).items()}
    snapshot.note.parent.mkdir(parents=True)
    damaged = {path: checksum for path, checksum in (good | sums).items() if checksum is not None}
    snapshot.note.write_text(json.dumps({"sums": damaged, "sound": {}}), "utf-8")
    assert fetched(metals())["notes.txt"] == FILES["notes.txt"].encode()
    assert sum("/tree/" in path for _, path, _ in hub_here.requests) == 2, "once above, once to mend"
    assert json.loads(snapshot.note.read_text("utf-8"))["sums"] == good
    hub_here.stop()
    assert set(fetched(metals())) == set(good)


def test_the_state_is_told_without_asking(hub_here, metals):
    source = metals(config="claims")
    hub_here.requests.clear()
    assert hub_module.state(source) == "not fetched"
    fetched(metals(config="claims", split="train"))
    hub_here.requests.clear()
    assert hub_module.state(source) == "1 of 2 files not fetched"
    assert hub_module.state(metals(config="claims", split="train")) is None and hub_here.requests == []


# ---- what goes wrong on the way ----------------------------------------------------------------------------
@pytest.mark.parametrize("path", ["notes.txt", "data/other/all-00000-of-00001.parquet"])
def test_a_flipped_byte_is_fetched_again_and_one_line_where_it_flips_again(path, hub_here, metals):
    body = FILES[path] if isinstance(FILES[path], bytes) else FILES[path].encode()
    flip_body(hub_here, metals().revision, path, times=2)
    assert (
        refused(metals())
        == f"files differ from the Hub's checksums and were removed: {path}; run it again to fetch them anew"
    )
    hub_here.faults.clear()
    flip_body(hub_here, metals().revision, path, times=1)
    assert fetched(metals())[path] == body and hub_here.faults.played


def flip_body(hub, revision, path, *, times):
    """Let the next bodies of this file come with a flipped byte, from wherever its bytes are served."""
    entry = hub.repo(REPO).commit(revision).tree[path]
    target = entry.sha256 if getattr(entry, "sha256", None) else rf"resolve/.*/{re.escape(path)}$"
    hub.fault(method="GET", path=target, kind="corrupt", times=times)


LISTS = {
    "a name": (b'"oid"', b'"oie"'),
    "a checksum": (b'"oid":"', b'"oid":"x'),
    "a path": (b"notes.txt", b"nopes.txt"),
    "a kind": (b'"file"', b'"fild"'),
    "its end": (b"}]", b"}"),
    "its shape": (b"[", b"7,["),
}


def garble(hub, monkeypatch, how, *, times):
    """Let the next lists of files come with one thing in them changed."""

    def garbled(fault, work):
        if fault is None or fault.kind != "corrupt":
            return play(fault, work)
        answer = work()
        results = answer.body.replace(b'": ', b'":').replace(*LISTS[how], 1)
        assert results != answer.body.replace(b'": ', b'":')
        answer.body = results
        return Played(answer)

    monkeypatch.setattr(wire, "play", garbled)
    hub.fault(method="GET", path="/tree/", kind="corrupt", times=times)


@pytest.mark.parametrize("how", LISTS)
def test_a_list_of_files_that_comes_damaged_is_asked_for_again(how, hub_here, metals, brisk, monkeypatch):
    garble(hub_here, monkeypatch, how, times=1)
    assert fetched(metals())["notes.txt"] == FILES["notes.txt"].encode() and hub_here.faults.played


@pytest.mark.parametrize("how", ["a name", "a checksum", "its end"])
def test_a_list_of_files_that_never_makes_sense_is_one_line(how, hub_here, metals, brisk, monkeypatch):
    garble(hub_here, monkeypatch, how, times=None)
    assert re.fullmatch(
        r"the Hub's answer makes no sense \(\w+\); what came is kept: run it again later", refused(metals())
    )
    assert len(brisk) == hub_module.BACKOFF.tries - 1


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_an_object_whose_store_is_busy_is_asked_for_again_after_the_wait_it_asks_for(
    status, hub_here, metals, brisk
):
    target = (
        hub_here.repo(REPO).commit(metals().revision).tree["data/other/all-00000-of-00001.parquet"].sha256
    )
    hub_here.fault(method="GET", path=target, kind="error", times=2, status=status, retry_after=20)
    assert len(fetched(metals())) == len(FILES) + 1 and brisk == [20, 20]


def test_an_object_whose_store_asks_for_a_long_wait_is_one_line_at_once(hub_here, metals, brisk):
    hub_here.fault(method="GET", path=r"resolve/.*/notes\.txt", kind="error", times=None, retry_after=3600)
    assert refused(metals()) == "the Hub answers 503; what came is kept: run it again later" and brisk == []


@pytest.mark.parametrize("kind", ["truncate", "drop", "lost", "429", "error"])
def test_a_passing_failure_is_got_over_or_is_one_line_and_the_next_run_is_whole(
    kind, hub_here, metals, brisk
):
    hub_here.fault(method="GET", path=BODIES, kind=kind, times=2, retry_after=1)
    try:
        fetched(metals())
    except TruerateError as error:
        assert "\n" not in str(error) and "run it again" in str(error)
    assert fetched(metals())["notes.txt"] == FILES["notes.txt"].encode()
    assert hub_here.faults.played


def test_a_hub_that_is_too_busy_for_long_is_one_line(hub_here, metals, brisk):
    hub_here.fault(method="GET", path="/tree/", kind="429", times=None, retry_after=1)
    assert refused(metals()) == "the Hub answers 429; what came is kept: run it again later" and brisk


def test_a_server_that_cannot_be_reached_is_one_line(hub_here, metals, brisk):
    source = metals()
    hub_here.stop()
    line = refused(source)
    assert re.fullmatch(
        rf"no answer from {hub_here.url} \(\w+\); what came is kept: run it again once there is a connection",
        line,
    )


# ---- who may read ------------------------------------------------------------------------------------------
def test_a_private_data_set_wants_a_token_that_may_read_it(hub_here, monkeypatch):
    source = HubSource(repo=REPO, revision=hub_here.put_repo(REPO, files=FILES, private=True))
    for token, stored in (
        (None, "HF_TOKEN is not set"),
        (hub_here.other_token, "the token in HF_TOKEN is refused or may not read it"),
    ):
        monkeypatch.setenv("HF_TOKEN", token) if token else monkeypatch.delenv("HF_TOKEN")
        assert re.fullmatch(
            rf"not found, or private \(40\d\), and {stored}; correct `repo`, or set HF_TOKEN to .*",
            refused(source),
        )
    monkeypatch.setenv("HF_TOKEN", hub_here.read_token)
    assert fetched(source)


def test_a_token_that_the_hub_does_not_know_is_named(metals, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    assert "the token in HF_TOKEN is refused" in refused(metals())


def test_a_gated_data_set_wants_access(hub_here, monkeypatch):
    source = HubSource(repo=REPO, revision=hub_here.put_repo(REPO, files=FILES, gated=True))
    page = f"ask for access at {hub_here.url}/datasets/{REPO} and set HF_TOKEN to a token of the account that has it"
    monkeypatch.setenv("HF_TOKEN", hub_here.other_token)
    assert refused(source) == f"it is gated, and the token in HF_TOKEN has no access yet; {page}"
    monkeypatch.delenv("HF_TOKEN")
    assert refused(source) == f"it is gated, and HF_TOKEN is not set; {page}"
    hub_here.grant(REPO, user="stranger")
    monkeypatch.setenv("HF_TOKEN", hub_here.other_token)
    assert fetched(source)


# ---- what is not there -------------------------------------------------------------------------------------
def test_unknown_data_sets_and_commits_are_one_line(hub_here, metals):
    assert refused(HubSource(repo="org/absent", revision="ab" * 20)).startswith("not found, or private (40")
    assert refused(HubSource(repo=REPO, revision="ab" * 20)) == "there is no such commit; correct `revision`"
    assert "../secrets" in refused(HubSource(repo="../secrets", revision="ab" * 20))


def test_a_file_that_wants_to_lie_elsewhere_is_refused(hub_here, tmp_path):
    revision = hub_here.put_repo(REPO, files={"data/../../../evil.txt": "x"})
    assert "'data/../../../evil.txt', which is no place in it" in refused(
        HubSource(repo=REPO, revision=revision)
    )


@pytest.mark.slow
def test_a_disk_that_is_full_is_one_line(hub_here, metals):
    code = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        "from truerate.core.errors import TruerateError\nfrom truerate.config import HubSource\n"
        "from truerate.sources.hub import dataset as hub\n"
        f"try: hub.fetched('x', HubSource(repo={REPO!r}, revision={metals().revision!r}))\n"
        "except TruerateError as error: sys.exit(f'LINE {error}')\n"
    )
    done = hub_here.run(code, check=False, HF_HOME=str(hub_here.folder / "small"))
    line = done.stderr.split("LINE ")[1]
    assert (
        "File too large; make room there or name another folder in HF_HOME" in line and line.count("\n") == 1
    )
