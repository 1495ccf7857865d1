"""The labelling page in a browser: thirty texts in Arabic, Chinese and English, with characters outside the first plane,
labelled by mouse and keyboard, exported, and read back by the track.
"""

import json
from pathlib import Path

import pytest
import yaml

from truerate.annotation.labelling import Labelling, read_labelling
from truerate.annotation.labels import checked_labels
from truerate.annotation.page import labelling_page
from truerate.tracks.halueval.labels import read_row
from truerate.tracks.protocol import FOLDER

from .accessibility import axe

CASES = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
TYPES = {"unverifiable": "v", "non-factual": "f", "irrelevant": "i"}
HELMA = FOLDER / "halueval" / "labelling.yaml"
NAME = "Zoë 人"
# Where a part of the text begins and ends on the screen, from offsets in UTF-16 units; right to left from its right end.
ENDS = """([start, end]) => {
  const root = document.getElementById("marked"), range = document.createRange();
  const at = (units) => { for (const node of root.childNodes) { const text = node.firstChild || node;
    if (units <= text.length) return [text, units]; units -= text.length; } };
  range.setStart(...at(start)); range.setEnd(...at(end));
  const boxes = [...range.getClientRects()].filter((box) => box.width), first = boxes[0], last = boxes.at(-1);
  const isRtl = getComputedStyle(root).direction === "rtl", y = (box) => (box.top + box.bottom) / 2;
  return isRtl ? [first.right - 1, y(first), last.left + 1, y(last)] : [first.left + 1, y(first), last.right - 1, y(last)];
}"""


def tasks() -> list[dict]:
    """Ten texts a language; two of them of one writing are told apart by their number alone."""
    rows = [(lang, number, case) for lang, cases in CASES.items() for number, case in enumerate(cases)]
    return [
        {
            "task_id": f"{lang}-{number}",
            "lang": lang,
            "query": "?",
            "response": case["text"],
            "is_probe": number == 0,
        }
        for lang, number, case in rows
    ]


def expected() -> dict[str, tuple[int, int, str]]:
    """Code points of each quoted part, found in the text itself."""
    spans = {}
    for lang, cases in CASES.items():
        for number, case in enumerate(cases):
            start = case["text"].index(case["part"])
            spans[f"{lang}-{number}"] = (start, start + len(case["part"]), list(TYPES)[number % 3])
    return spans


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@pytest.fixture
def labelling(chromium, tmp_path):
    """Open the page of tasks in a browser of its own; fails if it asks the network for anything or its script fails."""
    context, faults = chromium.new_context(viewport={"width": 1280, "height": 900}), []

    def run(html: str):
        (tmp_path / "page.html").write_text(html, "utf-8")
        page = context.new_page()
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(("file:", "blob:")) else faults.append(request.url)
            ),
        )
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield run
    context.close()
    assert faults == []


def exported(page) -> list[dict]:
    with page.expect_download() as download:
        page.get_by_role("button", name="Export labels").click()
    assert download.value.suggested_filename == "labels-my-board-Zoë_人.jsonl"
    return [json.loads(line) for line in Path(download.value.path()).read_text("utf-8").splitlines()]


def test_thirty_texts_come_back_with_their_code_points(labelling):
    page = labelling(labelling_page(tasks(), read_labelling(HELMA), name="my-board", annotator=NAME))
    texts, spans = {task["response"]: task["task_id"] for task in tasks()}, expected()
    page.get_by_text("Instructions and keys").click()
    for index in range(30):
        text = page.locator("#marked").evaluate("at => at.textContent")
        name = texts[text]
        start, end, kind = spans[name]
        assert page.locator("#marked").get_attribute("lang") == name[:2]
        ends = page.evaluate(ENDS, [units(text[:start]), units(text[:end])])
        page.mouse.move(*ends[:2])
        page.mouse.down()
        page.mouse.move(*ends[2:], steps=3)
        page.mouse.up()
        page.keyboard.press(TYPES[kind])
        assert page.locator("mark").evaluate("at => at.textContent") == text[start:end], name
        page.keyboard.press("Enter")
        assert page.locator("#count").inner_text() == f"{index + 1} of 30 labelled"
    rows = exported(page)
    assert {row["annotator"] for row in rows} == {NAME}
    labels, rejects = checked_labels(
        enumerate(rows, 1),
        {task["task_id"]: task for task in tasks()},
        read_row,
        where="labels",
        on_bad_row="stop",
    )
    assert rejects == [] and all(label.value for label in labels)
    assert {label.task_id: tuple(label.spans[0]) for label in labels} == spans
    assert page.locator("#count").inner_text() == "30 of 30 labelled, all exported"


def test_keys_undo_reload_and_import(labelling):
    """Words by the keyboard in Arabic, an undone mark, a label kept over a reload, and a file to go on with."""
    record = read_labelling(HELMA)
    two = [task for task in tasks() if task["task_id"] in ("ar-0", "en-0")]
    html = labelling_page(two, record, name="my-board")
    page = labelling(html)
    page.get_by_label("Your name").fill(NAME)
    page.keyboard.press("Enter")
    if page.locator("#marked").get_attribute("lang") != "ar":
        page.keyboard.press("ArrowRight")
    text = page.locator("#marked").evaluate("at => at.textContent")
    words = text.split()
    page.keyboard.press("v")
    assert "Select a part" in page.get_by_role("status").inner_text()
    page.keyboard.press("Enter")
    assert "Not answered yet" in page.get_by_role("status").inner_text()
    for key in ("t", ".", ".", "Shift+ArrowLeft", "f"):  # the second word and the one after it
        page.keyboard.press(key)
    assert page.locator("mark").inner_text() == f"{words[1]} {words[2]}"
    page.keyboard.press("u")
    assert page.locator("mark").count() == 0
    page.keyboard.press("2")
    warnings = []
    page.on("dialog", lambda dialog: (warnings.append(dialog.type), dialog.accept()))
    page.reload()
    assert warnings == ["beforeunload"]  # a label that no file holds
    page.get_by_label("Your name").fill(NAME)
    page.keyboard.press("Enter")
    assert page.locator("#count").inner_text() == "1 of 2 labelled"
    assert exported(page) == [{"task_id": "ar-0", "annotator": NAME, "hallucination": "no", "spans": []}]
    english = {"start": 0, "end": 3, "type": "irrelevant", "text": "The"}
    lines = [
        {"task_id": "en-0", "annotator": NAME, "hallucination": "yes", "spans": [english]},
        {"task_id": "en-0", "annotator": "another", "hallucination": "no", "spans": []},
        {"task_id": "elsewhere", "annotator": NAME, "hallucination": "no", "spans": []},
    ]
    file = "".join(json.dumps(line) + "\n" for line in lines)
    page.locator("#file").set_input_files(
        {"name": "a.jsonl", "mimeType": "text/plain", "buffer": file.encode()}
    )
    page.get_by_text("2 of 2 labelled").wait_for()
    assert page.get_by_role("status").inner_text() == (
        "1 labels taken over; 1 of other annotators left out; 1 lines are no labels of these texts."
    )
    assert lines[0] in exported(page)
    page.reload()
    assert warnings == ["beforeunload"]  # none once all are in a file


def test_symbols_and_marks_are_selected_by_keys(labelling):
    """`.` stops at a flag and passes a bracket, which Shift+arrows take in; `,` goes back."""
    task = {"task_id": "s", "lang": "en", "query": "?", "response": "Flags (🇮🇹 too) cost €5."}
    page = labelling(labelling_page([task], read_labelling(HELMA), name="my-board", annotator=NAME))
    steps = [
        ("t . .", "🇮🇹"),
        ("Shift+ArrowRight Shift+ArrowRight", "🇮🇹 too)"),
        (". .", "€"),
        ("Shift+ArrowRight Shift+ArrowRight", "€5."),
        (", , ,", "🇮🇹"),
    ]
    for keys, selection in steps:
        for key in keys.split():
            page.keyboard.press(key)
        assert page.evaluate("getSelection().toString()") == selection


def test_hostile_text_stays_text(labelling):
    """Nothing in a task, a name or a board leaves the block of data or becomes markup."""
    evil = "</script><img src=x onerror=alert(1)><!--<script>\u2028{{ 7*7 }}"
    task = {"task_id": evil, "query": [evil, evil], "response": evil}
    page = labelling(labelling_page([task], read_labelling(HELMA), name=evil, annotator=evil))
    assert page.locator("#marked").evaluate("at => at.textContent") == evil
    assert page.locator("img").count() == 0 and page.locator("script").count() == 2
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    assert "1 of 1 labelled" in page.locator("#count").inner_text()


def test_rows_of_an_object_and_of_what_is_asked_of_some(labelling):
    """An entity's label is an object; a rating is asked where its task says so; one choice stands where a field does."""
    kinds = [
        *read_labelling(FOLDER / "wildhallucinations" / "labelling.yaml").kinds,
        *read_labelling(FOLDER / "mfava" / "labelling.yaml").kinds,
    ]
    given = [
        {"task_id": "e", "kind": "entity", "entity": "Teru", "passages": ["a", "b"], "verdict": None},
        {
            "task_id": "r",
            "kind": "review",
            "text": "It rises.",
            "passages": [],
            "verdict": "supported",
            "retrieved": ["x"],
        },
        {
            "task_id": "p",
            "kind": "inserted",
            "text": "A text.",
            "rate_plausibility": True,
            "spans": [{"start": 0, "end": 1}],
        },
        {"task_id": "q", "kind": "natural", "text": "A text.", "rate_plausibility": False},
    ]
    page = labelling(labelling_page(given, Labelling(kinds=kinds), name="my-board", annotator=NAME))
    # two words are marked and rated one after the other; the first that is unrated is next
    keys = {"e": "2 1".split(), "r": ["8"], "p": "t . e . . i 4 2".split(), "q": []}
    heads = {"Entity": "e", "Review": "r", "Passage": "pq"}
    for _ in given:
        head = heads[page.locator("#title").inner_text().split(":")[0]]
        name = head if head in keys else "p" if page.locator("[data-rating]").count() else "q"
        for key in (*keys[name], "Enter"):
            page.keyboard.press(key)
    by_task = {row.pop("task_id"): row for row in exported(page)}
    assert by_task["e"]["label"] == {"unambiguous": False, "relevant": 1, "pages": 2}
    assert by_task["r"]["label"] == "model-retrieval"
    spans = by_task["p"]["spans"]
    assert [(span["text"], span["type"], span["plausibility"]) for span in spans] == [
        ("A", "entity", 2),
        ("text", "invented", 4),
    ]
    assert by_task["q"] == {"annotator": NAME, "spans": []}


def test_assistive_technology_finds_nothing_to_stumble_over(chromium, tmp_path):
    """In both schemes, with a marked span and at 800 pixels, where nothing is wider than the page."""
    (tmp_path / "page.html").write_text(
        labelling_page(tasks()[:2], read_labelling(HELMA), name="b", annotator="x"), "utf-8"
    )
    for scheme in ("light", "dark"):
        context = chromium.new_context(
            bypass_csp=True, color_scheme=scheme, viewport={"width": 800, "height": 900}
        )
        page = context.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        for key in ("t", ".", "v"):
            page.keyboard.press(key)
        assert page.locator("mark").count() == 1
        assert axe(page, scheme) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()
