"""A release and its statement: what it says, how it is signed, and what of a damaged folder is named."""

import base64
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from tests.hub.drafts import laid, put, refused
from tests.hub.small_release import REPO, draft, files
from truerate.cli import main
from truerate.core.errors import TruerateError
from truerate.hub.provenance.envelope import envelope_of, line_of, private_key
from truerate.hub.provenance.statement import Recipe, statement_of
from truerate.hub.provenance.verify import verify
from truerate.hub.release import STATEMENT, sha256

LOCK = """schema: '2.0'
stages:
  sources:
    cmd: python -m truerate make sources
    deps: [{path: src/truerate/sources, hash: md5, md5: aaa.dir}, {path: rules.smk, hash: md5, md5: bbb}]
    outs: [{path: data/sources, hash: md5, md5: ccc.dir}]
  dataset@little:
    cmd: python -m truerate make dataset
    deps: [{path: data/sources, hash: md5, md5: ccc.dir}]
    outs: [{path: data/datasets/little, hash: md5, md5: ddd.dir}]
"""
RECIPE = Recipe(LOCK, ("build/params.yaml", "12" * 32), [{"file": "little.jsonl", "sha256": "ab" * 32}])
SHARD = "data/qa/train-00000-of-00001.parquet"


def attested(key=None):
    """The small board's draft with a statement."""

    def attest(digests, maker: str) -> bytes:
        facts = {"name": "little-board", "kind": "dataset", "maker": maker}
        return line_of(statement_of(digests, RECIPE, **facts), key)

    return replace(draft(), attest=attest)


@pytest.fixture(scope="module")
def keys(tmp_path_factory) -> Path:
    """Two pairs of keys, as OpenSSL writes them."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ours", "other"):
        made = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", folder / f"{name}.pem"]
        subprocess.run(made, check=True)
        public = ["openssl", "pkey", "-in", folder / f"{name}.pem", "-pubout", "-out", folder / f"{name}.pub"]
        subprocess.run(public, check=True)
    return folder


@pytest.fixture(scope="module")
def released(keys, tmp_path_factory) -> Path:
    """A signed release, as it is downloaded, with what the Hub and its client put beside it."""
    folder = laid(files(attested(private_key(keys / "ours.pem"))), tmp_path_factory.mktemp("release"))
    (folder / ".gitattributes").write_text("*.parquet filter=lfs\n")
    (folder / ".cache/huggingface").mkdir(parents=True)
    (folder / ".cache/huggingface/README.md.metadata").write_text("x")
    return folder


@pytest.fixture
def copy(released, tmp_path) -> Path:
    return Path(shutil.copytree(released, tmp_path / "copy"))


# ---- what it says ------------------------------------------------------------------------------------------
def test_a_statement_names_every_other_file_and_what_they_were_made_from():
    whole = files(attested())
    statement = json.loads(whole[STATEMENT])
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    assert {entry["name"]: entry["digest"]["sha256"] for entry in statement["subject"]} == {
        path: sha256(content) for path, content in whole.items() if path != STATEMENT
    }
    definition, run = statement["predicate"]["buildDefinition"], statement["predicate"]["runDetails"]
    assert definition["externalParameters"] == {
        "name": "little-board",
        "kind": "dataset",
        "settings": "build/params.yaml",
        "commands": {
            "sources": "python -m truerate make sources",
            "dataset@little": "python -m truerate make dataset",
        },
    }
    assert definition["resolvedDependencies"] == [  # what a stage wrote is no input
        {"name": "build/params.yaml", "digest": {"sha256": "12" * 32}},
        {"name": "little.jsonl", "digest": {"sha256": "ab" * 32}},
        {"name": "rules.smk", "digest": {"md5": "bbb"}},
        {"name": "src/truerate/sources", "digest": {"dvcDirMd5": "aaa"}},
    ]
    assert [entry["name"] for entry in run["byproducts"]] == ["data/datasets/little", "data/sources"]
    assert files(attested())[STATEMENT] == whole[STATEMENT]


def test_the_maker_s_version_is_the_builder_s():
    facts = {"name": "n", "kind": "model"}
    stated = json.loads(
        statement_of({}, Recipe("", ("params.yaml", "")), maker="truerate 1.2 at commit ab", **facts)
    )
    builder = stated["predicate"]["runDetails"]["builder"]
    assert builder == {"id": "pkg:pypi/truerate", "version": {"truerate": "1.2 at commit ab"}}
    assert stated["predicate"]["runDetails"]["byproducts"] == []


def test_an_envelope_is_dsse_s(keys):
    """Read without code of ours: the signature is over DSSE's encoding of type and statement."""
    whole = files(attested(private_key(keys / "ours.pem")))
    envelope = json.loads(whole[STATEMENT])
    assert set(envelope) == {"payload", "payloadType", "signatures"}
    payload, kind = base64.b64decode(envelope["payload"]), envelope["payloadType"].encode()
    assert kind == b"application/vnd.in-toto+json" and payload == files(attested())[STATEMENT].strip()
    (signature,) = envelope["signatures"]
    signed = b" ".join([b"DSSEv1", b"%d" % len(kind), kind, b"%d" % len(payload), payload])
    load_pem_public_key((keys / "ours.pub").read_bytes()).verify(base64.b64decode(signature["sig"]), signed)
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-in", keys / "ours.pub", "-outform", "DER"],
        capture_output=True,
        check=True,
    ).stdout
    assert signature["keyid"] == sha256(der)


# ---- a folder against its statement ------------------------------------------------------------------------
def test_a_release_as_it_was_signed(released, keys, capsys):
    for key in ([], ["--key", str(keys / "ours.pub")]):
        assert main(["verify", str(released), *key]) == 0
        line = capsys.readouterr().out
        assert line.count("\n") == 1 and " files are as stated; signature: " in line
        assert ("valid by" in line) == bool(key) and ("not checked" in line) == (not key)
    assert main(["verify", str(released), "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["problems"] == [] and verdict["n_files"] == len(files(attested())) - 1


def test_an_unsigned_release_says_so(keys, tmp_path, capsys):
    folder = laid(files(attested()), tmp_path)
    assert main(["verify", str(folder)]) == 0 and "the statement is unsigned" in capsys.readouterr().out
    assert main(["verify", str(folder), "--key", str(keys / "ours.pub")]) == 1
    assert "the statement is unsigned" in capsys.readouterr().out


def flip(path: Path, index: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[index] ^= 1
    path.write_bytes(content)


def resigned(path: Path, change) -> None:
    """Change what stands in the envelope of a statement."""
    envelope = json.loads(path.read_bytes())
    change(envelope)
    path.write_text(json.dumps(envelope))


def other_digest(envelope: dict) -> None:
    payload = base64.b64decode(envelope["payload"]).replace(b"little-board", b"large-board_")
    envelope["payload"] = base64.b64encode(payload).decode()


def without_signature(envelope: dict) -> None:
    envelope["signatures"] = []


DAMAGE = {
    "a flipped byte": (lambda folder: flip(folder / SHARD), rf"^{SHARD}: changed, its SHA-256 is "),
    "a card edited by hand": (
        lambda folder: (folder / "README.md").write_text("# Other"), r"^README.md: changed"
    ),
    "a missing file": (lambda folder: (folder / SHARD).unlink(), rf"^{SHARD}: missing"),
    "an added file": (
        lambda folder: (folder / "data/qa/more.parquet").write_text("x"), r"^data/qa/more.parquet: added"
    ),
    "a file whose name acts on a terminal": (
        lambda folder: (folder / "a\u202eb\n").write_text("x"), r"^a\\u202eb\\n: added"
    ),
    "a link to a folder": (
        lambda folder: (folder / "data/linked").symlink_to(folder / "data/qa"), r"^data/linked: added"
    ),
    "a folder in place of a file": (
        lambda folder: ((folder / SHARD).unlink(), (folder / SHARD).symlink_to(folder / "data")),
        rf"^{SHARD}: changed, it is no file",
    ),
    "a changed statement": (
        lambda folder: resigned(folder / STATEMENT, other_digest),
        r"^the statement or its signature was changed after it was signed; no file was compared",
    ),
    "a signature taken off": (
        lambda folder: resigned(folder / STATEMENT, without_signature), r"^the statement is unsigned"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_each_damage_is_one_line_and_exit_code_1(name, copy, keys, capsys):
    damage, line = DAMAGE[name]
    damage(copy)
    assert main(["verify", str(copy), "--key", str(keys / "ours.pub")]) == 1
    (problem,) = capsys.readouterr().out.splitlines()
    (same,) = verify(copy, keys / "ours.pub").problems
    assert problem == same
    assert re.search(line, problem), problem


def test_no_byte_of_a_signed_statement_can_be_changed(copy, keys):
    """Each change is a line, or what is said to be no statement; names of keys are a hint and sign nothing."""
    path = copy / STATEMENT
    whole = path.read_bytes()
    payload = envelope_of(whole, "").payload
    for index in range(0, len(whole), 7):
        flip(path, index)
        try:
            is_refused = bool(verify(copy, keys / "ours.pub").problems)
        except TruerateError as error:
            assert STATEMENT in str(error) and "\n" not in str(error)
            is_refused = True
        assert is_refused or envelope_of(path.read_bytes(), "").payload == payload
        path.write_bytes(whole)


def test_another_key_is_named(released, keys, capsys):
    assert main(["verify", str(released), "--key", str(keys / "other.pub")]) == 1
    (problem,) = capsys.readouterr().out.splitlines()
    assert "signed by key " in problem and "other.pub" in problem


def test_a_release_in_links_to_a_cache_is_read_through_them(released, keys, tmp_path):
    for path in released.rglob("*"):
        if path.is_file():
            (tmp_path / path.relative_to(released)).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path.relative_to(released)).symlink_to(path)
    assert verify(tmp_path, keys / "ours.pub").problems == ()


WRONG = {
    "no folder": (lambda folder, keys: [str(folder / "gone")], "is no folder"),
    "no statement": (
        lambda folder, keys: ((folder / STATEMENT).unlink(), [str(folder)])[1], f"holds no {STATEMENT}"
    ),
    "no JSON": (
        lambda folder, keys: ((folder / STATEMENT).write_text("{"), [str(folder)])[1],
        "holds neither a DSSE envelope nor a statement",
    ),
    "nested without end": (
        lambda folder, keys: ((folder / STATEMENT).write_text("[" * 10**6), [str(folder)])[1],
        "holds neither a DSSE envelope nor a statement",
    ),
    "another payload": (
        lambda folder, keys: (
            resigned(folder / STATEMENT, lambda envelope: envelope.update(payloadType="text/plain")), [str(folder)]
        )[1],
        "its payloadType is 'text/plain'; allowed: application/vnd.in-toto",
    ),
    "another statement": (
        lambda folder, keys: ((folder / STATEMENT).write_text('{"_type": "x"}'), [str(folder)])[1],
        "holds no in-toto statement of files",
    ),
    "no key": (lambda folder, keys: [str(folder), "--key", str(keys / "gone")], "cannot be read"),
    "a private key": (
        lambda folder, keys: [str(folder), "--key", str(keys / "ours.pem")], "is no key in PEM"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_one_line_and_exit_code_2(name, copy, keys, capsys):
    make, words = WRONG[name]
    assert main(["verify", *make(copy, keys)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and words in err


# ---- keys --------------------------------------------------------------------------------------------------
def test_a_file_that_is_no_such_key_is_refused_and_not_shown(tmp_path):
    path = tmp_path / "key.pem"
    locked = [
        "openssl",
        "genpkey",
        "-algorithm",
        "ed25519",
        "-aes256",
        "-pass",
        "pass:secret-word",
        "-out",
        path,
    ]
    for made in (["openssl", "genpkey", "-algorithm", "x25519", "-out", path], locked):
        subprocess.run(made, check=True)
        with pytest.raises(TruerateError, match="is no ") as error:
            private_key(path)
        assert path.read_text().split("\n")[1] not in str(error.value) and "\n" not in str(error.value)


# ---- published ---------------------------------------------------------------------------------------------
def test_what_was_signed_stays_signed_when_it_is_published_without_the_key(hub_here, keys):
    key = private_key(keys / "ours.pem")
    signed = put(attested(key), to=REPO, tag="v1.0")
    assert put(attested(), to=REPO, tag="v1.0") == signed == put(attested(), to=REPO)
    line = hub_here.files(REPO)[STATEMENT]
    assert envelope_of(line, "").signatures
    assert put(attested(Ed25519PrivateKey.generate()), to=REPO) != signed  # another signer is another release
    refused(r"tag 'v1.0' holds other content", attested(Ed25519PrivateKey.generate()), to=REPO, tag="v1.0")


def test_what_was_unsigned_is_signed_when_a_key_is_there(hub_here, keys, tmp_path):
    put(attested(), to=REPO)
    put(attested(private_key(keys / "ours.pem")), to=REPO)
    folder = laid(hub_here.files(REPO), tmp_path)
    verdict = verify(folder, keys / "ours.pub")
    assert verdict.problems == () and verdict.signature.startswith("valid by")
