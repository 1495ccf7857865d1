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
    "a setting of a wrong type": (
        lambda p: p["models"]["aster"].update(params={"max_tokens": "many"}),
        "models.aster.params: max_tokens must be a whole number",
    ),
    "an empty address: keys would go to another": (
        lambda p: p["endpoints"].update(m={"base_url": ""}),
        "endpoints.m.base_url",
    ),
    "an address without scheme": (
        lambda p: p["endpoints"].update(m={"base_url": "localhost:8000"}),
        "endpoints.m.base_url",
    ),
    "an empty launch": (
        lambda p: p["endpoints"].update(m={"launch": ""}),
        "endpoints.m.launch: must not be empty",
    ),
    "a model twice": (
        lambda p: p["tracks"]["halueval"].update(subjects=["elm", "elm"]),
        "'elm' stands there twice",
    ),
    "no tasks": (lambda p: p["tracks"]["halueval"].update(tasks=[]), "tasks: must not be empty"),
    "the project as a folder of scores": (lambda p: p["paths"].update(scores="."), "name a folder below"),
    "a folder above": (lambda p: p["paths"].update(scores="../x"), "name a folder below"),
    "a folder in another": (lambda p: p["paths"].update(scores="data"), "must not lie in scores"),
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
    "rates by one of another track": (
        lambda p: p["tracks"]["mfava"]["detector"].update(member="always"),
        "member 'always' is not built",
    ),
    "rates by a scope that is not built": (
        lambda p: p["tracks"]["mfava"]["detector"].update(scope="mono"),
        "sizes.demo.mfava.scopes: multi",
    ),
    "rates by labels that are not built": (
        lambda p: p["tracks"]["mfava"]["detector"].update(labels="category"),
        "labels 'category'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_are_refused(project, refused, name):
    change, said = REFUSED[name]
    project(change)
    assert said in refused("boards")


def real_chats(p: dict) -> None:
    """A board of real chats and a real model, and still the closed world's search."""
    p["sources"]["mine"] = {"reader": "wildchat", "path": "inputs/chats"}
    p["boards"]["chats-mine"] = {"track": "wildhallucinations", "source": "mine"}
    p["endpoints"]["vllm"] = {"base_url": "http://localhost:8000/v1"}
    p["models"]["llama"] = {"endpoint": "vllm", "model": "llama"}
    p["tracks"]["wildhallucinations"]["subjects"] = ["llama"]


UNKNOWN = {
    "reader": (lambda p: p["sources"]["closed-world"].update(reader="nope"), ["reader 'nope'", "seed_files"]),
    "detector": (
        lambda p: p["detectors"]["baselines"].update(members=["nope"], only={}),
        ["detector member 'nope'", "always"],
    ),
    "member for some tracks": (
        lambda p: p["detectors"]["baselines"].update(only={"nope": ["halueval"]}),
        ["`only` names 'nope', no member"],
    ),
    "track of a member": (
        lambda p: p["detectors"]["baselines"].update(only={"support": ["mfava"]}),
        ["`only` gives 'support' the track 'mfava', none of the family's: halueval, wildhallucinations"],
    ),
    "token detector": (
        lambda p: p["detectors"]["tokens"]["members"].append("llama-3-8b"),
        ["detector member 'llama-3-8b'", "tiny-prefix"],
    ),
    "language": (
        lambda p: p["tracks"]["mfava"]["languages"].append("xx"),
        ["unknown language code 'xx'", "zh"],
    ),
    "language of a model": (
        lambda p: p["models"]["elm"].update(languages=["english"]),
        ["models.elm.languages", "'english'"],
    ),
    "setting": (
        lambda p: p["models"]["aster"].update(params={"temprature": 1}),
        ["temprature cannot be sent", "temperature"],
    ),
    "word for a number": (
        lambda p: p["models"]["aster"].update(params={"temperature": "hot"}),
        ["temperature is 'hot'"],
    ),
    "place in launch": (
        lambda p: p["endpoints"]["world"].update(launch="serve {port} {gpu}"),
        ["cannot fill in 'gpu'", "{port}"],
    ),
    "quote in launch": (
        lambda p: p["endpoints"]["world"].update(launch='serve {port} "x'),
        ["No closing quotation"],
    ),
    "code of an endpoint": (
        lambda p: p["endpoints"]["world"].update(code=["no/such"]),
        ["nothing at 'no/such'"],
    ),
    "simulated web for real entities": (
        real_chats,
        ["tracks.wildhallucinations.search.endpoint is 'world'", "'chats-mine'", "search.url"],
    ),
    "prompts folder": (lambda p: p["llm"].update(prompts_dir="no/such"), ["no template in 'no/such'"]),
    "cut of what nobody is asked for": (
        lambda p: p["llm"].update(cut={"nothing": "keep"}),
        ["llm.cut: no track asks a model for 'nothing'", "allowed: annotate, answer, "],
    ),
    "knowledge of no source": (
        lambda p: p["tracks"]["halueval"].update(knowledge_source="nobody"),
        ["knowledge_source: source 'nobody' is not declared; declared: closed-world"],
    ),
    "asked again twice": (lambda p: p["llm"].update(reask=2), ["llm.reask: must be at most 1 (got 2)"]),
    "structured in another form": (
        lambda p: p["models"]["aster"].update(structured="xml"),
        ["models.aster.structured: must be 'json_schema' (got 'xml')"],
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_name_that_no_room_knows_ends_the_build_first(project, refused, name):
    change, said = UNKNOWN[name]
    folder = project(change)
    line = refused("params")
    assert all(part in line for part in said) and not (folder / "build").exists()


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
