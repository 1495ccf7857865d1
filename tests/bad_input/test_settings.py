"""Settings that cannot be read, are refused on reading, or name what no room knows."""

import pytest

UNREADABLE = {
    "empty": (b"", "must be a mapping"),
    "a list": (b"- 1\n", "must be a mapping"),
    "a word": (b"hello\n", "must be a mapping"),
    "not YAML": (b"a: [1\n", "not YAML"),
    "not UTF-8": (b"a: \xff\n", "not UTF-8 at byte 3"),
    "a key twice": (b"seed: 1\nseed: 2\n", "key 'seed' stands there twice"),
    "a Python tag": (b"a: !!python/object:os.system x\n", "not YAML"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_settings_that_cannot_be_read(project, refused, name):
    content, said = UNREADABLE[name]
    (project(lambda p: None) / "params.yaml").write_bytes(content)
    assert said in refused("boards")


REFUSED = {
    "endpoints as a list": (lambda p: p.update(endpoints=[1]), "endpoints: must be a mapping"),
    "no boards: what is built would be pruned": (lambda p: p.update(boards={}), "boards: must not be empty"),
    "an endless price": (
        lambda p: p["models"]["aster"].update(price=[float("inf"), 1]),
        "models.aster.price.0",
    ),
    "an empty address: keys would go to another": (
        lambda p: p["endpoints"].update(m={"base_url": ""}),
        "endpoints.m.base_url",
    ),
    "an address without scheme": (
        lambda p: p["endpoints"].update(m={"base_url": "localhost:8000"}),
        "endpoints.m.base_url",
    ),
    "a model twice": (
        lambda p: p["tracks"]["halueval"].update(subjects=["elm", "elm"]),
        "'elm' stands there twice",
    ),
    "no tasks": (lambda p: p["tracks"]["halueval"].update(tasks=[]), "tasks: must not be empty"),
    "pages over everything built": (lambda p: p["paths"].update(site_src="build"), "must not lie in"),
    "a mask that is none": (
        lambda p: p["backbones"]["tiny-prefix"].update(mask="bidirectional"),
        "backbones.tiny-prefix.mask",
    ),
    "two translators": (
        lambda p: p["tracks"]["mfava"].update(seq2seq="x/y"),
        "name `translator` or `seq2seq`, not both",
    ),
    "one seed for two subsets": (
        lambda p: p["tracks"]["mfava"]["wild"].update(subset_seeds=[42, 42]),
        "42 stands there twice",
    ),
    "sentences from many to few": (
        lambda p: p["tracks"]["mfava"].update(n_sentences=[5, 3]),
        "name the fewer first",
    ),
    "a family for no track": (
        lambda p: p["detectors"]["tokens"].update(tracks=["mfawa"]),
        "track 'mfawa' is not declared",
    ),
    "rates by a detector of no family": (
        lambda p: p["tracks"]["mfava"]["detector"].update(member="nope"),
        "member 'nope' is not built",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_are_refused(project, refused, name):
    change, said = REFUSED[name]
    project(change)
    assert said in refused("boards")


TEMPLATES = {
    "syntax": ("recognise_qa.j2", b"{% if %}", "line 1"),
    "not UTF-8": ("recognise_qa.j2", b"\xff", "decode"),
    "a name that replaces none": ("recognize_qa.j2", b"x", "replaces none"),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_broken_template_of_the_user(project, refused, name):
    file, content, said = TEMPLATES[name]
    folder = project(lambda p: p["llm"].update(prompts_dir="prompts"))
    (folder / "prompts/halueval").mkdir(parents=True)
    (folder / "prompts/halueval" / file).write_bytes(content)
    line = refused("params")
    assert said in line and file in line
