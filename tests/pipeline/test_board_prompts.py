"""The templates that a board's replies came from, and whose words may stand on a page."""

from pathlib import Path

import pytest

from tests.toy_clone import toy_clone
from truerate.config import load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Generation, frame, generation_row, pairs
from truerate.llm.clones import import_prompts
from truerate.pipeline.publishing.board_prompts import board_prompts

ROOT = Path(__file__).parents[2]
MIT = "MIT License\n\nCopyright (c) 2023 Somebody\n\nPermission is hereby granted."


def prompts_of(
    track: str, *replies: tuple[str, dict], folder: str | None = None, **settings
) -> dict[str, dict]:
    p = load_params(ROOT / "params.yaml")
    block = p.track(f"{track}-closed-world").model_copy(update=settings)
    p = p.model_copy(
        update={"llm": p.llm.model_copy(update={"prompts_dir": folder}), "tracks": {**p.tracks, track: block}}
    )
    rows = [
        generation_row(generation_id=f"g{n}", item_id="i", purpose=purpose, model="m", text="x", status="ok",
                       attributes=pairs(**attributes))
        for n, (purpose, attributes) in enumerate(replies)
    ]  # fmt: skip
    return {
        one["name"]: one for one in board_prompts(Layout(p), f"{track}-closed-world", frame(Generation, rows))
    }


@pytest.mark.parametrize(
    ("track", "purpose", "attributes", "name"),
    [
        ("halueval", "recognise", {"task": "general", "variant": "chain-of-thought"}, "recognise_general"),
        (
            "halueval",
            "recognise",
            {"task": "qa", "variant": "contrast", "order": "right-first"},
            "contrast_qa",
        ),
        ("halueval", "sample", {"task": "qa", "scheme": "one-pass"}, "one_pass_qa"),
        ("halueval", "refine", {"task": "dialogue"}, "refine_dialogue"),
        ("halueval", "respond", {"task": "general"}, None),  # the query itself
        ("halludial", "induce", {"kind": "factuality"}, "induce"),
        ("halludial", "induce", {"kind": "factuality", "definition": "paper"}, "induce_factuality"),
        ("halludial", "detect", {"definition": "paper"}, "detect_paper"),
        ("mfava", "translate_reference", {"lang": "de"}, "translate"),
        ("wildhallucinations", "generate", {}, None),
        ("wildhallucinations", "verify_facts", {}, "verify_facts"),
    ],
)
def test_the_template_of_a_reply_is_that_of_its_purpose_and_what_it_was_chosen_by(
    track, purpose, attributes, name
):
    assert list(prompts_of(track, (purpose, attributes))) == ([name] if name else [])


def test_another_number_of_verdicts_is_another_template():
    verification = load_params(ROOT / "params.yaml").track("wildhallucinations-closed-world").verification
    three = verification.model_copy(update={"verdicts": "three"})
    assert list(prompts_of("wildhallucinations", ("verify_facts", {}), verification=three)) == [
        "verify_facts_three"
    ]


@pytest.mark.parametrize("licence", [MIT, None])
def test_words_of_others_are_shown_where_their_licence_lets_them_with_its_notice(tmp_path, licence):
    """Beside ours, where there are ours; of an edited file nobody knows the licence."""
    folder = str(tmp_path / "prompts")
    import_prompts(toy_clone(tmp_path / "clone", {"LICENSE": licence}), folder)
    asked = [
        ("recognise", {"task": "qa", "variant": "authors"}),
        ("filter", {"task": "qa"}),
        ("sample", {"task": "qa", "scheme": "one-pass"}),
    ]
    file = Path(folder) / "halueval" / "filter_qa.j2"
    file.write_text("Which is better: {{ first }} or {{ second }}?", "utf-8")
    prompts = prompts_of("halueval", *asked, folder=folder)
    assert list(prompts) == ["authors_recognise_qa", "filter_qa", "one_pass_qa"]
    assert not prompts["authors_recognise_qa"]["ours"] and len(prompts["one_pass_qa"]["ours"]) == 2
    theirs = prompts["authors_recognise_qa"]["theirs"]
    roles = [role for role, _ in theirs["messages"]]
    assert theirs["by"] == "RUCAIBox/HaluEval" and len(theirs["sha256"]) == 64
    assert (roles, theirs["notice"]) == ((["system", "user"], MIT) if licence else ([], ""))
    edited = prompts["filter_qa"]["theirs"]
    assert (edited["by"], edited["licence"], edited["messages"]) == ("own", "", [])
    assert edited["n_characters"] == 45
