"""Boards of HalluDial, mFAVA and WildHallucinations go out and come back: every score is the same number, but
those that rest on what does not go out or is not read.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.hub.stages import CARD, LOCK, ROOT, build_board, declare, put_into, scores_of
from truerate.config.layout import Layout
from truerate.pipeline import pages

RULES = {
    "baselines": {
        "tracks": ["halludial", "wildhallucinations"],
        "members": ["always", "length"],
        "only": {},
        "folds": 2,
    },
    "tokens": {"tracks": ["mfava"], "members": ["mark-all", "mark-none"]},
}
TRACKS = {  # the detectors of rates: rules, so that nothing is trained
    "halludial": {"detector": "length"},
    "mfava": {"detector": {"member": "mark-all", "scope": "multi", "labels": "binary"}},
}


@pytest.fixture
def back(tmp_path, monkeypatch):
    """Build a board on files in a publisher's layout, put what goes out of it into a folder, and build a
    board on this folder: the scores of both.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")

    def run(track: str, reader: str, files: Mapping[str, Iterable[dict]]) -> tuple[dict, dict]:
        for name, rows in {**files, "source.json": CARD}.items():
            path = Path("inputs", "little", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [rows] if isinstance(rows, dict) else rows
            path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
        at = built(track, "first", {"reader": reader, "path": "inputs/little"})
        pages.leaderboard(at)
        Path("dvc.lock").write_text(LOCK.format(board="first"), "utf-8")
        put_into(tmp_path / "published", at, "first")
        first = scores_of(at, "first")
        return first, scores_of(built(track, "back", {"reader": "truerate", "path": "published"}), "back")

    return run


def built(track: str, name: str, source: dict) -> Layout:
    """A board of the track on a source, judged by rules."""
    ours = {family: entry for family, entry in RULES.items() if track in entry["tracks"]}
    at = declare(track, {name: source}, detectors=ours, tracks=TRACKS)
    build_board(at, name)
    return at


def values(scores: dict, metric: str) -> list:
    """The values of a metric, one after the other."""
    return [value for (name, *_), (value, _) in scores.items() if name == metric]


# ---- HalluDial ---------------------------------------------------------------------------------------------
def responses(scenario: str, split: str) -> list[dict]:
    """Two turns of each of a few dialogues, one of three responses false."""
    rows = []
    for number in range(4) if split == "train" else range(4, 10):
        knowledge = f"Varn {number} is a town with {number} rivers."
        history = f"[Human]: Tell me of Varn {number}!"
        for turn in (0, 1):
            about = {"dialogue_id": number, "knowledge": knowledge, "dialogue_history": history, "turn": turn}
            false = f"A deep river, the {number}th of the {scenario} ones."
            rows.append(about | {"response": f"A town ({scenario}).", "target": "No. It is backed."})
            if (number + turn) % 3:
                rows.append(about | {"response": false, "target": 'Yes. "A deep river" is off.'})
            history += f" [Assistant]: It is town {number}. [Human]: What else?"
    return rows


def test_halludial_with_its_dialogues_and_turns(back):
    files = {
        f"{scenario}/{scenario}_{split}.jsonl": responses(scenario, split)
        for scenario in ("spontaneous", "induced")
        for split in ("train", "test")
    }
    first, second = back("halludial", "halludial", files)
    assert second == first
    assert values(first, "n_dialogues") == [10] and values(first, "turns_per_dialogue") == [2]


# ---- mFAVA -------------------------------------------------------------------------------------------------
AGREEMENT = {"percent_agreement", "percent_agreement_typed", "cohen_kappa", "cohen_kappa_typed"}


def passages() -> Iterable[dict]:
    """Passages with silver and gold tags, the first of each language labelled by two people, who differ."""
    for lang in ("de", "fr"):
        for number in range(10):
            answer = f"Town {number} lies on river {number}."
            false = f"It has {number} moons."
            row = {"lang": lang, "references": f"{answer} It was built in {1200 + number}."}
            row |= {
                "generated_text": f"{answer} {false}",
                "silver_annotations": f"{answer} <invented>{false}</invented>",
            }
            gold = f"Town {number} lies on <entity>river</entity> {number}. "
            yield row | {
                "gold_annotations": gold + (f"<invented>{false}</invented>" if number % 3 else false)
            }


def test_mfava_but_for_the_agreement_of_its_source_s_annotators(back):
    rows = list(passages())
    rows += [row | {"gold_annotations": row["generated_text"]} for row in (rows[1], rows[11])]
    first, second = back(
        "mfava", "mfava", {"gold.jsonl": [row | {"row": number} for number, row in enumerate(rows)]}
    )
    # what each of several annotators of a source said of a text does not go out: its labels are those settled
    # on
    assert {metric for metric, *_ in first.keys() - second.keys()} <= AGREEMENT
    assert {key: first[key] for key in second} == second and values(second, "silver_gold_kappa")


# ---- WildHallucinations ------------------------------------------------------------------------------------
def biographies(system: int) -> list[dict]:
    """Ten replies with three facts each as people labelled them; one of them answers nothing, whatever it
    says, and of one no fact was taken.
    """
    rows = []
    for number in range(10):
        labels = ("S", "NS" if (number + system) % 3 else "S", "IR" if number % 4 else "S")
        facts = [
            {"text": f"Ana {number} {verb}.", "label": label}
            for verb, label in zip(("is", "was", "ran"), labels, strict=True)
        ]
        sentence = {"text": "A sentence.", "is-relevant": True, "human-atomic-facts": facts}
        sentence |= {"model-atomic-facts": []}
        people = None if number == 4 + system else [] if number == 7 else [sentence]
        topic = {"input": f"Question: Tell me a bio of Ana {number}.", "topic": f"Ana {number}"}
        topic |= {"cat": [("rare", "frequent")[number % 2], "Asia/Pacific"]}
        rows.append(topic | {"output": f"System {system} on Ana {number}.", "annotations": people})
    return rows


def test_wildhallucinations_with_replies_that_answer_nothing(back):
    files = {f"labeled_data/{name}.jsonl": biographies(index) for index, name in enumerate(("Ada", "Bo"))}
    first, second = back("wildhallucinations", "factscore", files)
    assert second == first
    where = ("estimator", "raw"), ("set", "all")
    # Of ten replies of Ada's one answers nothing and one has no fact. Of the eight others' three facts are
    # supported: 0 all; 1, 2, 5 one; 3, 6, 8, 9 two: (1 + 3/3 + 8/3) / 8 = 7/12. Strict: 8 of 10 respond with
    # a fact, of 8 one is wholly supported.
    assert first["wildfactscore", "Ada", *where][0] == pytest.approx(7 / 12, abs=1e-6)
    assert first["wildfactscore_strict", "Ada", *where][0] == pytest.approx(8 / 10 / 8, abs=1e-6)
