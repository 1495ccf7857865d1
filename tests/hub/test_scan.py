"""What must not leave the house is found wherever it stands, and what is harmless is not.

Keys stand here in two halves, so that no tool takes this file for a leak.
"""

import base64
import json
import time
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from tests.hub.scanned import TOKEN, found
from truerate.config import load_params
from truerate.core.errors import TruerateError
from truerate.hub.scan import EMAIL, PATH, literals, refuse, scan
from truerate.pipeline.publishing.slices import own_settings

VALUE = "correct horse/battery+staple"  # the literal value of a secret variable
KEYS = {
    "Hugging Face token": TOKEN,
    "API key": "sk-" + "ant-api03-Zx9_yWvUtSrQpOnMlKjIh",
    "live payment key": "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc",
    "AWS key": "AKIA" + "IOSFODNN7TRUERAT",
    "GitHub token": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "GitLab token": "glpat-" + "zYxWvUtSrQpOnMlKjIhG",
    "npm token": "npm_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5",
    "Google key": "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "Slack token": "xoxb-" + "123456789012-abcdefGHIJKL",
    "private key": "-----BEGIN OPENSSH " + "PRIVATE KEY",
    "JSON web token": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "bearer token": "Bearer " + "3f9c1a77b2e84d0f9c1a77b2",
    "basic authorization": "Authorization: Basic " + "YWxhZGRpbjpvcGVuc2VzYW1l",
    "password in an address": "://" + "maria:Tr0ub4dor@",
}
HARMLESS = (
    "The risk-adjusted task-oriented sk-learn-like-pipelines-of-many-long-words are no keys.",
    "hf_hub_download_with_a_very_long_name and shelf_aaaaaaaaaaaaaaaaaaaaaaaaaa",
    "write to someone@example.com, a@mail.example.org or b@host.invalid",
    "@user mentions, a@b without an end, x @ y, package@1.2.3, tiny-prefix@some-board",
    "https://x.org/home/bob, http://почта.рф/home/bob, x.org/Users/bob, https://x.edu/~bob/x, ../root and a/~/b",
    "a bare /home or /Users/ is none; /rooted, /root-finding, </root>, ~5/6 of them, /root.txt; /homes/bob",
    "regular \\\\d\\\\w, rows 1 \\\\hline\\hline or \\\\end\\tabular{x}, \\\\alpha, a\\\\bc\\de",
    "see https://site.org/home/alice/page, https://x.org/Users/bob/ and ../home/x/y",
    "the bearer of the internationalization-of-everything",
    "https://example.org:8080/a@b and http://host/path:with@sign",
    "PRIVATE KEY is a pair of words; AKIA is a prefix; eyJ begins one",
)


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("around", ["{}", "key={} and more", "密钥{}在这里", 'x"{}"'])
def test_each_kind_of_secret_in_text(kind, around):
    if kind == "password in an address":
        around = around.replace("{}", "postgres{}db.site.org")
    (entry,) = {
        finding
        for finding in found(("\n\n" + around.format(KEYS[kind])).encode(), "notes.md")
        if finding.kind != EMAIL
    }
    assert (entry.path, entry.where, entry.kind) == ("notes.md", "line 3", kind)
    assert entry.shown == KEYS[kind][:4] + "…" and KEYS[kind] not in repr(entry)


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text(text):
    assert found(text.encode(), "README.md") == []
    assert found(json.dumps({"a": [text]}).encode(), "a.json") == []


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/home/maria/work/x.py", "/Users/maria/x", "/root/.ssh/id", r"C:\Users\maria\x",
            "c:/users/maria", "file:///tmp/x",
        ),
        *(
            r"D:\\Users\\maria\\x", "/mnt/c/Users/maria/x", "/home/maria", "/Users/maria", "/root", "~/x",
            "~maria/x.py", "~/.ssh/id",
        ),
        *(r"\\srv\share", r"\\srv.site.org\share$\x y"[:-2], r"\\\\srv\\share\\x"),
    ],
)  # fmt: skip
def test_paths_of_a_machine(path):
    assert [(entry.kind, entry.shown) for entry in found(f"见{path}, and so on".encode(), "a.txt")] == [
        (PATH, path[:4] + "…")
    ]
    assert found(path.encode(), "a.txt", allow_paths=[path]) == []
    assert found(path.encode(), "a.txt", allow_paths=[path[:8] + "*"]) == []
    assert len(found(path.encode(), "a.txt", allow_paths=[path[:-1], "/srv/*"])) == 1


@pytest.mark.parametrize("place", ["/srv/alice/run", "/srv/alice/run/", "/tmp/x y", r"D:\work\run"])
def test_folders_of_this_machine(place):
    for words in (place, f"made in {place}: yes", f'"{place}"', f"--to={place}", place.replace("\\", "\\\\")):
        assert found(words.encode(), "a.txt") == []
        assert [(entry.kind, entry.shown) for entry in found(words.encode(), "a.txt", places=[place])] == [
            (PATH, words[words.index(place[:3]) :][:4] + "…")
        ]
    inside = place.rstrip("/\\") + "/x"
    assert len(found(inside.encode(), "a.txt", places=[place])) == 1
    assert found(inside.encode(), "a.txt", places=[place], allow_paths=[inside]) == []
    relative = f"..{inside}" if place.startswith("/") else f"X{inside}"
    for other in (f"https://x.org{inside}", relative, inside.replace("/x", "ner/x"), f"a{inside}"):
        assert found(other.encode(), "a.txt", places=[place]) == []


def test_a_place_is_a_path_of_some_length():
    assert (
        found(
            b"/a/b /tmp some/where somewhere",
            "a.txt",
            places=["/a/b", "/tmp", "/", "", "some/where", "somewhere"],
        )
        == []
    )
    assert len(found(b"/home/maria/x", "a.txt", places=["/home/maria", "/home/maria/x"])) == 1


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


@pytest.mark.parametrize(
    "path",
    [
        "/data/alice/x", "/srv/x", "/mnt/disk", "/tmp/x", "/Volumes/d/x", r"E:\x", "E:/x/y", r"E:\\x",
        "/home/maria",
    ],
)  # fmt: skip
def test_paths_in_settings(path):
    words = f"input: {path}  # here".encode()
    assert [(entry.path, entry.kind) for entry in found(words, "build/params.yaml")] == [
        ("build/params.yaml", PATH)
    ]
    assert found(words, "build/params.yaml", allow_paths=[path]) == []
    assert found(words, "README.md") == [] or path.startswith("/home")


def test_routes_in_settings():
    words = b"{health: /health, url: /customsearch/v1, base: https://x.org/data/v1, ws://h/tmp/x, in: data/x, up: ../tmp/x, /tmp, c:/}"
    assert found(words, "build/params.yaml") == []


@pytest.mark.parametrize(
    "address", ["info@my-site.com", "jörg@web.de", "josé@web.de", "почта@пример.рф", "a.b+c@x.co.uk"]
)
def test_addresses_of_people(address):
    for around in ("{}", "<{}>.", "联系我们请写信给" * 20 + " {}"):
        assert [entry.kind for entry in found(around.format(address).encode(), "a.txt")] == [EMAIL]
    assert found(address.encode(), "a.txt", allow_emails=[address.upper()]) == []
    assert found(address.encode(), "a.txt", allow_emails=["*@" + address.split("@")[1]]) == []
    assert len(found(address.encode(), "a.txt", allow_emails=["x" + address, "*@other.org"])) == 1


def test_an_address_between_letters_without_blanks_is_the_address():
    text = ("联系我们请写信给" * 20 + "info@my-site.com的人").encode()
    assert [entry.shown for entry in found(text, "a.txt")] == ["info…"]
    assert found(text, "a.txt", allow_emails=["info@my-site.com"]) == []


def test_secrets_cannot_be_allowed():
    assert len(found(TOKEN.encode(), "a.txt", allow_emails=[TOKEN, "*"], allow_paths=[TOKEN, "*"])) == 1


# ---- literal values ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "name",
    [
        "MY_API_KEY", "hub_token", "SOME_SECRET", "DB_PASSWORD", "PGPASS", "ROOT_PASSWD", "GPG_PASSPHRASE",
        "CLOUD_CREDENTIALS", "AWS_ACCESS_KEY_ID", "NAMED_IN_PARAMS",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "form",
    [
        *(VALUE, quote(VALUE), quote(VALUE, safe=""), quote_plus(VALUE)),
        *(base64.b64encode(before + VALUE.encode() + b"!").decode() for before in (b"", b"a", b"ab", b"abc")),
        base64.urlsafe_b64encode(VALUE.encode()).decode(),
    ],
)
def test_the_value_of_a_secret_variable_however_it_is_written(name, form):
    (entry, *_) = found(
        f"a{form}b".encode(), "a.txt", environment={name: VALUE + "\n"}, secrets=["NAMED_IN_PARAMS"]
    )
    assert entry.kind == f"value of {name}" and VALUE not in repr(entry)


def test_further_secrets():
    (entry,) = found(b"a " + base64.b64encode(VALUE.encode()), "a.txt", values=[VALUE + "\n", "short"])
    assert entry.kind == "value of a further secret" and VALUE not in repr(entry)
    assert [
        entry.kind for entry in found(VALUE.encode(), "a.txt", values=[VALUE], environment={"A_KEY": VALUE})
    ] == ["value of A_KEY"]
    assert found(b"short and none", "a.txt", values=["short", "", " "]) == []


def test_variables_that_hold_no_secret():
    environment = {
        "HOME": "/srv/somewhere",
        "PWD": "/srv/somewhere",
        "OLDPWD": "/srv/somewhere",
        "SHORT_KEY": "abcdefg",
        "EMPTY_TOKEN": "",
    }
    assert literals(environment, []) == {}
    assert found(b"/srv/somewhere abcdefg", "a.txt", environment=environment) == []


def test_little_of_a_short_secret_is_shown():
    (entry,) = found(b"tulip-99", "a.txt", environment={"A_KEY": "tulip-99"})
    assert entry.shown == "tu…"


# ---- refusing ----------------------------------------------------------------------------------------------
def test_refusing_names_secrets_first():
    refuse([])
    content = b"info@my-site.com /home/maria/x\n info@my-other.com\n" + TOKEN.encode()
    with pytest.raises(TruerateError) as refused:
        refuse(found(content, "a.txt"))
    line = str(refused.value)
    assert line.startswith(
        "publishing: 4 found that must not go out: a.txt, line 3: Hugging Face token 'hf_a…'; a.txt, line 1: "
    )
    assert "; and 1 more; " in line and "hub.allow_emails" in line and "\n" not in line and TOKEN not in line


# ---- time --------------------------------------------------------------------------------------------------
HOSTILE = (
    "a", "@", "a@", "a.", "a@a.", "://a:", "://", "sk-", "sk-a-", "eyJ", "eyJaaaaaaaaa.", "bearer ",
    "-----BEGIN A ", "/home/", "/home/a/",
)  # fmt: skip


@pytest.mark.parametrize(
    "unit",
    [
        *HOSTILE, "AKIA", "hf_", "xoxb-", "A ", "\\", "c:\\users\\", "file:", "é@é.", "authorization: ",
        "AIza", "+-", "~a", "~/a", "\\\\a", "\\\\ab\\cd", "/root", "/tmp/place", "/tmp/placed/",
        "http://a/home/a",
    ],
)  # fmt: skip
def test_no_text_takes_long(unit):
    n = (
        5_000_000 if unit in ("a", "@", "a@a.") else 1_000_000
    )  # a pattern of quadratic time would need hours for either
    start = time.process_time()
    found((unit * (n // len(unit))).encode(), "build/a.txt", places=["/tmp/place", "c:\\users"])
    assert time.process_time() - start < 30
