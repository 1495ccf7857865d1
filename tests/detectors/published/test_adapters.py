"""The table of published detectors: whole, and refused where nobody knows what it takes."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.detectors.published.adapters import (
    ADAPTERS,
    BY_ID,
    FIELD,
    NEEDED,
    TEMPLATES,
    about,
    adapter_of,
    filled,
    with_settings,
)

HERE = "detectors.ready.published.x"
ALL = {"window": 512, "threshold": 0.5, "licence": "mit", "template": "{document} {claim}"}


def test_every_entry_holds_together():
    n_ids = sum(len(item.ids) for item in ADAPTERS.values())
    assert len(BY_ID) == n_ids, "a Hub id stands once"
    for item in ADAPTERS.values():
        if item.refused or item.kind == "own":
            continue
        is_full = item.template is not None and item.kind in ("classes", "encoder", "decoder", "judge")
        if is_full and not item.is_pair and item.layout != "documents":
            assert {"document", "claim"} <= set(FIELD.findall(item.template)), item.name
        assert (item.reader is not None) == (item.kind == "judge") == (item.n_written > 0), item.name
        assert (item.word_ids is not None) == (item.kind == "decoder"), item.name


@pytest.mark.parametrize("name", [name for name, item in ADAPTERS.items() if not item.refused])
def test_what_nobody_knows_is_asked_for_in_one_line_and_what_is_given_counts(name):
    lost = [key for key in NEEDED if getattr(ADAPTERS[name], key) is None]
    if lost:
        with pytest.raises(TruerateError, match="does not say its") as raised:
            with_settings(ADAPTERS[name], Published(weights="a/b"), where=HERE)
        assert all(f"`{key}`" in str(raised.value) for key in lost) and "\n" not in str(raised.value)
        assert str(raised.value).startswith(HERE)
    stated = with_settings(
        ADAPTERS[name], Published(weights="a/b", **{key: ALL[key] for key in lost}), where=HERE
    )
    assert all(getattr(stated, key) is not None for key in NEEDED)
    assert with_settings(stated, Published(weights="a/b", window=99), where=HERE).window == 99
    assert {item.name for item in fields(stated)} >= {*NEEDED}


def test_a_hub_id_names_its_adapter_and_a_wrong_name_is_met_by_a_near_one():
    expected = {"is_own": False, "where": HERE}
    assert adapter_of(None, "lytang/MiniCheck-RoBERTa-Large", **expected).name == "minicheck-roberta"
    assert adapter_of(None, "here/is", is_own=True, where=HERE).name == "truerate"
    with pytest.raises(TruerateError, match="no adapter 'minichek-roberta'.*minicheck-roberta"):
        adapter_of("minichek-roberta", "a/b", **expected)
    with pytest.raises(TruerateError, match="no adapter knows 'a/b'; name one as `adapter`: "):
        adapter_of(None, "a/b", **expected)


def test_the_detectors_page_says_what_it_is_and_no_place_of_this_machine():
    lettuce = ADAPTERS["lettucedetect"]
    stated = about(lettuce, Published(weights="org/name", revision="a" * 40))
    assert stated.startswith(
        "A published detector, org/name at commit aaaaaaa, asked as lettucedetect; it marks words"
    )
    assert "Trained on: RAGTruth. Licence: mit." in stated
    assert "/home" not in about(lettuce, Published(weights="/home/somebody/weights"))
    assert "A published detector, weights, asked" in about(
        lettuce, Published(weights="/home/somebody/weights/")
    )


def test_the_guide_names_every_adapter():
    page = (Path(__file__).parents[3] / "site/pages/guide/detectors-ready.md").read_text("utf-8")
    named = set(
        re.findall(r"`([\w.-]+)`", "".join(line for line in page.splitlines() if line.startswith("| `")))
    )
    assert named - {"window"} == set(ADAPTERS)


def test_what_is_filled_in_is_never_read_again_for_fields():
    values = {"document": "Varn lies on {claim}.", "claim": "Varn has {walls}.", "eos": "</s>"}
    assert filled("{document}|{claim}|{eos}", **values) == "Varn lies on {claim}.|Varn has {walls}.|</s>"
    assert filled("{document}{other}", document="a") == "a{other}"


def test_judges_prompts_keep_their_blocks():
    lynx = filled(TEMPLATES["lynx"], question="Q", document="D", claim="A")
    blocks = "QUESTION (THIS DOES NOT COUNT AS BACKGROUND INFORMATION):\nQ\n\n--\nDOCUMENT:\nD\n\n--\nANSWER:\nA\n\n--\n\nYour"
    assert blocks in lynx
    assert lynx.endswith('{"REASONING": <your reasoning as bullet points>, "SCORE": <your final score>}')
    assert filled(TEMPLATES["bespoke"], document="D", claim="C") == "Document: D\nClaim: C"
    assert filled(TEMPLATES["fava"], document="D", claim="C").endswith("[Text] C\n[Edited] ")
