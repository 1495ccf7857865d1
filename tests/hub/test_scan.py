"""What must not leave the house is found wherever it stands, and what is harmless is not (scan.yaml)."""

import base64
import json
import time
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
import yaml

from tests.hub.scanned import TOKEN, findings_in
from truerate.config import load_params
from truerate.core.errors import TruerateError
from truerate.hub.scan import EMAIL, PATH, literals, refuse, scan
from truerate.pipeline.publishing.slices import own_settings

VALUE = "correct horse/battery+staple"  # the literal value of a secret variable
CASES = yaml.safe_load(Path(__file__).with_name("scan.yaml").read_text("utf-8"))
KEYS = {kind: key.replace("‖", "") for kind, key in CASES["keys"].items()} | {"Hugging Face token": TOKEN}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("around", ["{}", "key={} and more", "密钥{}在这里", 'x"{}"'])
def test_each_kind_of_secret_in_text(kind, around):
    if kind == "password in an address":
        around = around.replace("{}", "postgres{}db.site.org")
    (entry,) = {
        finding
        for finding in findings_in(("\n\n" + around.format(KEYS[kind])).encode(), "notes.md")
        if finding.kind != EMAIL
    }
    assert (entry.path, entry.where, entry.kind) == ("notes.md", "line 3", kind)
    assert entry.shown == KEYS[kind][:4] + "…" and KEYS[kind] not in repr(entry)


@pytest.mark.parametrize("text", CASES["harmless"])
def test_harmless_text(text):
    assert findings_in(text.encode(), "README.md") == []
    assert findings_in(json.dumps({"a": [text]}).encode(), "a.json") == []


@pytest.mark.parametrize("path", CASES["paths"])
def test_paths_of_a_machine(path):
    assert [(entry.kind, entry.shown) for entry in findings_in(f"见{path}, and so on".encode(), "a.txt")] == [
        (PATH, path[:4] + "…")
    ]
    assert findings_in(path.encode(), "a.txt", allow_paths=[path]) == []
    assert findings_in(path.encode(), "a.txt", allow_paths=[path[:8] + "*"]) == []
    assert len(findings_in(path.encode(), "a.txt", allow_paths=[path[:-1], "/srv/*"])) == 1


@pytest.mark.parametrize("folder", ["/srv/alice/run", "/srv/alice/run/", "/tmp/x y", r"D:\work\run"])
def test_folders_of_this_machine(folder):
    for words in (
        folder,
        f"made in {folder}: yes",
        f'"{folder}"',
        f"--to={folder}",
        folder.replace("\\", "\\\\"),
    ):
        assert findings_in(words.encode(), "a.txt") == []
        assert [
            (entry.kind, entry.shown) for entry in findings_in(words.encode(), "a.txt", places=[folder])
        ] == [(PATH, words[words.index(folder[:3]) :][:4] + "…")]
    inside = folder.rstrip("/\\") + "/x"
    assert len(findings_in(inside.encode(), "a.txt", places=[folder])) == 1
    assert findings_in(inside.encode(), "a.txt", places=[folder], allow_paths=[inside]) == []
    relative = f"..{inside}" if folder.startswith("/") else f"X{inside}"
    for other in (f"https://x.org{inside}", relative, inside.replace("/x", "ner/x"), f"a{inside}"):
        assert findings_in(other.encode(), "a.txt", places=[folder]) == []


def test_a_place_is_a_path_of_some_length():
    assert (
        findings_in(
            b"/a/b /tmp some/where somewhere",
            "a.txt",
            places=["/a/b", "/tmp", "/", "", "some/where", "somewhere"],
        )
        == []
    )
    assert len(findings_in(b"/home/maria/x", "a.txt", places=["/home/maria", "/home/maria/x"])) == 1


ROOT = Path(__file__).parents[2]


def test_settings_of_this_repository_hold_no_paths():
    files = {f"build/{name}": ROOT / name for name in ("params.yaml", "dvc.lock") if (ROOT / name).exists()}
    assert "build/params.yaml" in files
    assert scan(files, environment={}, secrets=[]) == []


def test_the_settings_of_a_board_hold_no_paths():
    p = load_params(ROOT / "params.yaml")
    assert (
        scan(
            {f"build/{board}/params.yaml": own_settings(p, board).encode() for board in p.boards},
            environment={},
            secrets=[],
        )
        == []
    )


@pytest.mark.parametrize("path", CASES["paths_in_settings"])
def test_paths_in_settings(path):
    words = f"input: {path}  # here".encode()
    assert [(entry.path, entry.kind) for entry in findings_in(words, "build/params.yaml")] == [
        ("build/params.yaml", PATH)
    ]
    assert findings_in(words, "build/params.yaml", allow_paths=[path]) == []
    assert findings_in(words, "README.md") == [] or path.startswith("/home")


def test_routes_in_settings():
    words = b"{health: /health, url: /customsearch/v1, base: https://x.org/data/v1, ws://h/tmp/x, in: data/x, up: ../tmp/x, /tmp, c:/}"
    assert findings_in(words, "build/params.yaml") == []


@pytest.mark.parametrize(
    "address", ["info@my-site.com", "jörg@web.de", "josé@web.de", "почта@пример.рф", "a.b+c@x.co.uk"]
)
def test_addresses_of_people(address):
    for around in ("{}", "<{}>.", "联系我们请写信给" * 20 + " {}"):
        assert [entry.kind for entry in findings_in(around.format(address).encode(), "a.txt")] == [EMAIL]
    assert findings_in(address.encode(), "a.txt", allow_emails=[address.upper()]) == []
    assert findings_in(address.encode(), "a.txt", allow_emails=["*@" + address.split("@")[1]]) == []
    assert len(findings_in(address.encode(), "a.txt", allow_emails=["x" + address, "*@other.org"])) == 1


def test_an_address_between_letters_without_blanks_is_the_address():
    text = ("联系我们请写信给" * 20 + "info@my-site.com的人").encode()
    assert [entry.shown for entry in findings_in(text, "a.txt")] == ["info…"]
    assert findings_in(text, "a.txt", allow_emails=["info@my-site.com"]) == []


def test_secrets_cannot_be_allowed():
    assert len(findings_in(TOKEN.encode(), "a.txt", allow_emails=[TOKEN, "*"], allow_paths=[TOKEN, "*"])) == 1


# ---- literal values ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CASES["secret_variables"])
@pytest.mark.parametrize(
    "form",
    [
        *(VALUE, quote(VALUE), quote(VALUE, safe=""), quote_plus(VALUE)),
        *(base64.b64encode(before + VALUE.encode() + b"!").decode() for before in (b"", b"a", b"ab", b"abc")),
        base64.urlsafe_b64encode(VALUE.encode()).decode(),
    ],
)
def test_the_value_of_a_secret_variable_however_it_is_written(name, form):
    (entry, *_) = findings_in(
        f"a{form}b".encode(), "a.txt", environment={name: VALUE + "\n"}, secrets=["NAMED_IN_PARAMS"]
    )
    assert entry.kind == f"value of {name}" and VALUE not in repr(entry)


def test_further_secrets():
    (entry,) = findings_in(b"a " + base64.b64encode(VALUE.encode()), "a.txt", values=[VALUE + "\n", "short"])
    assert entry.kind == "value of a further secret" and VALUE not in repr(entry)
    assert [
        entry.kind
        for entry in findings_in(VALUE.encode(), "a.txt", values=[VALUE], environment={"A_KEY": VALUE})
    ] == ["value of A_KEY"]
    assert findings_in(b"short and none", "a.txt", values=["short", "", " "]) == []


def test_variables_that_hold_no_secret():
    environment = {
        "HOME": "/srv/somewhere",
        "PWD": "/srv/somewhere",
        "OLDPWD": "/srv/somewhere",
        "SHORT_KEY": "abcdefg",
        "EMPTY_TOKEN": "",
    }
    assert literals(environment, []) == {}
    assert findings_in(b"/srv/somewhere abcdefg", "a.txt", environment=environment) == []


def test_little_of_a_short_secret_is_shown():
    (entry,) = findings_in(b"tulip-99", "a.txt", environment={"A_KEY": "tulip-99"})
    assert entry.shown == "tu…"


# ---- refusing ----------------------------------------------------------------------------------------------
def test_refusing_names_secrets_first():
    refuse([])
    content = b"info@my-site.com /home/maria/x\n info@my-other.com\n" + TOKEN.encode()
    with pytest.raises(TruerateError) as refused:
        refuse(findings_in(content, "a.txt"))
    line = str(refused.value)
    assert line.startswith(
        "publishing: 4 found that must not go out: a.txt, line 3: Hugging Face token 'hf_a…'; a.txt, line 1: "
    )
    assert "; and 1 more; " in line and "hub.allow_emails" in line and "\n" not in line and TOKEN not in line


# ---- time --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("unit", CASES["hostile"])
def test_no_text_takes_long(unit):
    n = 5_000_000 if unit in ("a", "@", "a@a.") else 1_000_000
    start = time.process_time()
    findings_in((unit * (n // len(unit))).encode(), "build/a.txt", places=["/tmp/place", "c:\\users"])
    assert time.process_time() - start < 30
