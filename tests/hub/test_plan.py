"""What a plan says, and what it refuses, on repositories given as plain values."""

import hashlib

import pytest

from truerate.core.errors import TruerateError
from truerate.hub.kept import Release, added
from truerate.hub.plan import (
    bytes_shown,
    is_automatic,
    lines,
    plan_of,
    refuse_foreign,
    refuse_names,
    refuse_public,
)
from truerate.hub.release import Target
from truerate.hub.remote import Entry, State, Status, matches

TO = Target("org/name", "dataset")
PREFIXES = ("data/",)


def regular(content: bytes) -> Entry:
    return Entry(len(content), hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(), None)


def stored(content: bytes) -> Entry:
    return Entry(len(content), "0" * 40, hashlib.sha256(content).hexdigest())


def test_a_file_is_the_same_by_its_git_name_or_by_its_sha256(tmp_path):
    # `printf hello | git hash-object --stdin` prints this
    assert regular(b"hello").blob == "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"
    (tmp_path / "file").write_bytes(b"hello")
    for entry in (regular(b"hello"), stored(b"hello")):
        for content in (b"hello", tmp_path / "file"):
            assert matches(content, entry)
        assert not matches(b"hallo", entry) and not matches(b"hello!", entry)


def test_files_are_added_changed_deleted_or_left():
    there = {
        "data/a": stored(b"a"),
        "data/b": stored(b"b"),
        "data/old": stored(b"old!"),
        "README.md": regular(b"x"),
        "theirs.txt": regular(b"t"),
    }
    files = {"data/a": b"a", "data/b": b"bb", "data/c": b"ccc", "README.md": b"x"}
    plan = plan_of(files, State("1" * 40, there), prefixes=PREFIXES)
    assert (plan.added, plan.changed, plan.deleted) == ({"data/c": 3}, {"data/b": 2}, {"data/old": 4})
    assert plan.unchanged == {"data/a": 1, "README.md": 1}
    assert plan.n_bytes == 5 and not plan.is_empty


@pytest.mark.parametrize("prefixes", [(), ("",), ("dat",), ("other/",)])
def test_nothing_is_deleted_outside_our_folders(prefixes):
    there = {path: stored(b"x") for path in ("data/x", "database/x", "data.txt", "x")}
    assert not plan_of({}, State("1" * 40, there), prefixes=prefixes).deleted


def test_a_folder_is_ours_with_or_without_its_slash():
    there = {path: stored(b"x") for path in ("data/x", "data/y/z", "database/x", "data.txt")}
    for prefixes in (("data/",), ("data",)):
        assert set(plan_of({}, State("1" * 40, there), prefixes=prefixes).deleted) == {"data/x", "data/y/z"}


def test_the_plan_in_words():
    files = {"data/c": b"c" * 1500, "README.md": b"xy"}
    plan = plan_of(
        files, State("1" * 40, {"data/\x1b[2J": stored(b"o"), "README.md": regular(b"x")}), prefixes=PREFIXES
    )
    words = lines(plan, Target("org/name", "dataset", tag="v1.0"), status=Status("1" * 40, True))
    assert words == [
        "org/name (dataset, private; on 11111111)",
        "  + data/c  1.5 kB",
        "  ~ README.md  2 B",
        "  - 'data/\\x1b[2J'  1 B",
        "  1 added, 1 changed, 1 deleted, 0 unchanged; 1.5 kB to upload",
        "  tag v1.0 will be set",
    ]


def test_what_is_deleted_is_shown_whole_and_long_lists_of_new_files_are_cut():
    there = State("1" * 40, {f"data/old-{i}": stored(b"o") for i in range(40)})
    words = lines(
        plan_of({f"data/{i}": b"n" for i in range(40)}, there, prefixes=PREFIXES),
        TO,
        status=Status("1" * 40, True),
    )
    assert sum(line.startswith("  - ") for line in words) == 40
    assert "  + … and 10 more" in words


@pytest.mark.parametrize(
    "is_private, is_public, head, visibility",
    [
        (None, False, None, "private; new repository"),
        (None, True, None, "public; new repository"),
        (True, True, "1" * 40, "private, will be public; on 11111111"),
        (False, True, "1" * 40, "public; on 11111111"),
    ],
)
def test_the_plan_says_who_will_see_it(is_private, is_public, head, visibility):
    plan = plan_of({}, State(head), prefixes=PREFIXES)
    first = lines(plan, Target("org/name", "dataset", is_public=is_public), status=Status(head, is_private))[
        0
    ]
    assert first == f"org/name (dataset, {visibility})"


def test_bytes_for_people():
    assert [bytes_shown(n) for n in (0, 999, 1000, 1_500_000, 3_100_000_000)] == [
        "0 B", "999 B", "1.0 kB", "1.5 MB", "3.1 GB",
    ]  # fmt: skip


NAMES = [
    "name", "a/b/c", "org/na me", "org/-name", "org/a--b", "org/x.git", "", "/", "org/", "../etc",
    "org/" + "n" * 97, "org/naïve",
]  # fmt: skip


@pytest.mark.parametrize("repo", NAMES)
def test_a_repository_is_org_and_name(repo):
    with pytest.raises(TruerateError, match="org/name") as error:
        refuse_names(Target(repo, "dataset"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("tag", ["1.0", "v1", "v1.0.0.0", "v1.0-rc", "main", "", "v١.٠", "v1.0\n"])
def test_a_tag_is_a_version(tag):
    with pytest.raises(TruerateError, match="vX.Y or vX.Y.Z"):
        refuse_names(Target("org/name", "dataset", tag=tag))


def test_good_names_pass():
    for tag in (None, "v1.0", "v0.12.3"):
        refuse_names(Target("org/name", "dataset", tag=tag))


def test_a_public_repository_needs_to_be_named_so():
    with pytest.raises(TruerateError, match="--public"):
        refuse_public(TO, Status("1" * 40, False))
    refuse_public(TO, Status("1" * 40, True))
    refuse_public(TO, Status(None, None))
    refuse_public(Target("org/name", "dataset", is_public=True), Status("1" * 40, False))


def test_repositories_of_others_are_refused():
    for files, readme in [
        ({"a.txt", "b", "c", "d"}, ""),
        ({"README.md"}, "# Mine\n\nText of somebody."),
        ({"truerate.json"}, ""),
    ]:
        state = State("1" * 40, {path: regular(b"x") for path in files}, readme=readme)
        with pytest.raises(TruerateError, match="holds other content"):
            refuse_foreign(state, target=TO, name="board")
    for mark in ({"kind": "dataset", "name": "other"}, {"kind": "model", "name": "board"}, {}):
        with pytest.raises(TruerateError, match="holds another release"):
            refuse_foreign(State("1" * 40, {}, {"dated": "2026-01-01"} | mark), target=TO, name="board")


def test_empty_repositories_and_our_own_are_free():
    bare = {path: regular(b"x") for path in (".gitattributes", "LICENSE", "README.md")}
    refuse_foreign(State(), target=TO, name="board")
    refuse_foreign(State("1" * 40, bare, readme="---\nlicense: mit\n---\n"), target=TO, name="board")
    theirs = {"theirs.txt": regular(b"x")}
    refuse_foreign(
        State("1" * 40, theirs, {"kind": "dataset", "name": "board", "dated": "2026-01-01"}),
        target=TO,
        name="board",
    )


def test_which_readme_the_hub_wrote():
    assert (
        is_automatic("")
        and is_automatic("---\nlicense: mit\n---\n")
        and is_automatic("---\nlicense: mit\n---\n# name\n")
    )
    assert not is_automatic("---\nlicense: mit\n---\n# name\n\nWords.") and not is_automatic("Words.")


def test_the_newest_release_stands_on_top_of_the_change_log():
    first = added("", Release(None, "2026-01-01", "the first\nboard", 3, 0, 0))
    assert (
        first
        == "# Change log\n\n## untagged · 2026-01-01\n\nthe first board\n\nFiles besides this one: 3 added, 0 changed, 0 deleted.\n"
    )
    second = added(first, Release("v1.1", "2026-02-01", "more", 1, 2, 3))
    assert second.index("v1.1 · 2026-02-01") < second.index("untagged · 2026-01-01")
    assert second.count("# Change log") == 1 and second.endswith(
        "Files besides this one: 3 added, 0 changed, 0 deleted.\n"
    )
    assert "words of others" in added("words of others", Release(None, "2026-01-01", "x", 0, 0, 0))
