"""A published data set in HalluDial's layout, 848 rows of our own: two models on loopback judge its test texts,
detectors learn from its train texts, and a model's own responses are rated beside it.
"""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from stub import Stub, serving

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, frame, pair, unpaired
from truerate.llm.generation import facts
from truerate.pipeline.detect import sided, training_texts
from truerate.sources.papers import halludial
from truerate.tracks.halludial import dataset, responding, scores, steps

ROOT, BOARD = Path(__file__).parents[3], "halludial-published"
N_DIALOGUES, N_TURNS = 53, 2
N_RESPONDERS, N_WRITTEN = 5, 3  # of each turn: responses, and an induced set (a reference and two texts)
MARK = "marsh"  # the model `reader` flags what holds it
HEADINGS = {
    "Judgement And Reason": 'Yes. "marsh" is off.',
    "Hallucinated One": "Response 1",
    "Evaluation Is": "Accurate",
    "Next Response": "It is a town, I think.",
}


class Judges(Stub):
    """Model `reader` flags texts with MARK, any other model flags none; both choose the first of two."""

    async def answer(self, body: bytes):
        request = json.loads(body)
        self.calls[json.dumps(request, sort_keys=True)] += 1
        prompt = request["messages"][-1]["content"]
        text = next((words for heading, words in HEADINGS.items() if f"#{heading}#" in prompt), "Yes.")
        is_verdict = text.startswith("Yes")
        if is_verdict and (MARK not in prompt.rpartition("#Response#")[2] or request["model"] != "reader"):
            text = "No."
        return 200, {}, self.completion(text)


def row(scenario: str, d: int, turn: int, n: int) -> tuple[str, dict]:
    """A row and the file it stands in: six of ten are in train, whatever their dialogue. Of the responses two
    of five are hallucinated; MARK stands in hallucinated ones of even turns, and in every 7th faithful one.
    """
    number = (d * N_TURNS + turn) * 8 + n + (N_RESPONDERS if scenario == "induced" else 0)
    is_wrong = n < 2 if scenario == "spontaneous" else n > 0
    words = f"a {MARK}" if (turn == 0 if is_wrong else number % 7 == 0) else "a plain"
    opening = f"[Human]: Tell me of place {d}."
    history = opening if turn == 0 else f"{opening} [Assistant]: Place {d} is a town. [Human]: And then?"
    response = f"Place {d} is {words}, number {number}."
    target = f'Yes. The part "{words}" is off.' if is_wrong else "No."
    values = {"dialogue_id": d, "knowledge": f"Place {d} is a town.", "dialogue_history": history}
    side = "train" if number * 7 % 10 < 6 else "test"
    return f"{scenario}_{side}.json", {**values, "turn": turn, "response": response, "target": target}


def rows() -> list[tuple[str, dict]]:
    sizes = {"spontaneous": N_RESPONDERS, "induced": N_WRITTEN}
    places = [(d, turn) for d in range(N_DIALOGUES) for turn in range(N_TURNS)]
    return [row(name, *place, n) for name, many in sizes.items() for place in places for n in range(many)]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder, files = tmp_path_factory.mktemp("published"), {}
    for file, values in rows():
        files.setdefault(file, []).append(values)
    for file, values in files.items():
        folder.joinpath(file).write_text(json.dumps(values), "utf-8")
    return halludial.read(folder, name=BOARD, on_bad_row="stop")


def layout(url: str = "http://127.0.0.1:9/v1", **settings) -> Layout:
    """The committed settings with one published board, and two models behind an address."""
    values = load_params(str(ROOT / "params.yaml")).model_dump(mode="json")
    values["endpoints"]["stub"] = {"base_url": url}
    values["models"] |= {name: {"endpoint": "stub", "model": name} for name in ("reader", "denier")}
    values["sources"][BOARD] = {"reader": "halludial", "path": "inputs/halludial"}
    named = {"responders": [], "subjects": ["reader", "denier"], "meta_judge": "denier", "inducer": "denier"}
    board = {"track": "halludial", "source": BOARD, "settings": {**named, **settings}}
    sizes = {"dialogues": None, "located": 20, "compared": 6, "meta": 4, "tempered": 2, "natural": 2}
    values["boards"][BOARD] = board | {"sizes": sizes}
    return Layout(Params.model_validate(values)).on(BOARD)


@pytest.fixture(scope="module")
def stub():
    with serving(stub := Judges()) as url:
        yield stub, url


@pytest.fixture(scope="module")
def built(tables, stub, tmp_path_factory):
    """Build a data set with some settings: its tables and tasks."""

    def build(at: Layout):
        replies, judged, settings = {}, [], at.p.track(BOARD)
        roles = {"respond": settings.responders, "detect": settings.subjects}
        for step in ("respond", "annotate", "induce", "detect", "meta"):
            parts = []
            for model in roles.get(step, ("denier",)):
                for shard in range(at.p.n_shards):
                    given = getattr(steps, step)(at, BOARD, model, tables, shard, replies)
                    of_step, beside = given if isinstance(given, tuple) else (given, {})
                    parts.append(of_step)
                    judged += beside.values()
            replies[step] = pl.concat(parts) if parts else steps.NO_ROWS
        beside = {"judgements": pl.concat([frame(Judgement), *judged]).sort("judgement_id")}
        return steps.exported(at, BOARD, tables, replies, beside)

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        yield build


@pytest.fixture(scope="module")
def published(built, stub):
    """The data set as published, with its scores by metric, subject and slice."""
    at = layout(stub[1])
    data, _ = built(at)
    named = {name: data[name] for name in ("items", "samples", "judgements", "generations")}
    result, _ = scores.score(at, BOARD, **named, inputs="i")
    by_cell = {
        (row["metric"], row["subject"], *sorted(unpaired(row["slice"]).items())): (row["value"], row["n"])
        for row in result.iter_rows(named=True)
    }
    return data, by_cell


def test_each_subject_judges_every_published_test_text_and_the_numbers_are_those_of_the_rows(published):
    data, cells = published
    assert data["samples"].height == len(rows()) == 848
    for scenario in ("spontaneous", "induced"):
        test = [values for file, values in rows() if file == f"{scenario}_test.json"]
        counts = Counter((one["target"] != "No.", MARK in one["response"]) for one in test)
        n_wrong, n_right = (
            sum(n for (wrong, _), n in counts.items() if wrong is want) for want in (True, False)
        )
        where = (("scenario", scenario), ("variant", "zero-shot"))
        recall = counts[True, True] / n_wrong
        balanced = (recall + counts[False, False] / n_right) / 2
        accuracy = (counts[True, True] + counts[False, False]) / len(test)
        for metric, value in (("balanced_accuracy", balanced), ("accuracy", accuracy)):
            assert cells[metric, "reader", *where] == (pytest.approx(value, abs=1e-6), len(test))
        assert cells["accuracy", "denier", *where] == (
            pytest.approx(n_right / len(test), abs=1e-6),
            len(test),
        )


def test_places_pairs_and_judgements_of_them_are_asked_of_published_texts_too(published):
    data, _ = published
    judged = data["judgements"].with_columns(pair("attributes", key) for key in ("variant", "kind"))
    for model in ("reader", "denier"):
        n = {
            (variant, kind): of.height
            for (variant, kind), of in judged.filter(judge=model).group_by("variant", "kind")
        }
        # six pairs of each scenario, two orders, two sides; a spontaneous text needs a reference in test
        assert n["three-shot", None] == 20
        assert (n["compare", "induced"], n["compare", "spontaneous"]) == (24, 24)
    meta = data["generations"].filter(purpose="meta")
    assert meta.height == 8 and set(meta["model"]) == {"denier"}
    references = {one["response"] for _, one in rows() if one["target"] == "No."}
    texts = dict(data["samples"].select("sample_id", "text").iter_rows())
    compared = data["generations"].filter(purpose="compare").to_dicts()
    for known in map(facts, compared):
        first = known["first"] if known["order"] == "reference-first" else known["second"]
        assert texts[first] in references


def test_plan_and_page_say_how_many_texts_there_are_and_that_the_split_leaks(tables, monkeypatch):
    monkeypatch.chdir(ROOT)
    texts, leak = steps.text_notes(layout(), BOARD, tables)
    n_test = sum(file.endswith("_test.json") for file, _ in rows())
    assert f"{n_test} of the source's 848 labelled texts are tested on; subjects: 2, each asked" in texts
    assert "where and why about 20" in texts and f"of {N_DIALOGUES} of {N_DIALOGUES} dialogues" in leak
    (texts, leak) = steps.text_notes(layout(subjects=[], split={"by": "published"}), BOARD, tables)
    assert "no model that may stand here is named" in texts and "flatters" in leak


def test_a_set_without_test_texts_is_parted_by_dialogue_and_says_so(tables, monkeypatch):
    monkeypatch.chdir(ROOT)
    train = replace(tables, samples=tables.samples.filter(split="train"))
    samples = steps.DialogueWork(layout(), BOARD, train, {}).source_samples
    sides = samples.group_by("group_id").agg(n=pl.col("split").n_unique())
    assert set(samples["split"]) == {"train", "test"} and set(sides["n"]) == {1}
    assert "has no test text; dialogues are parted here" in list(steps.text_notes(layout(), BOARD, train))[1]
    as_it_is = layout(split={"by": "published"})
    texts, note = steps.text_notes(as_it_is, BOARD, train)
    assert ": 0 of the source's" in texts and "none is tested on" in note


# ---- the published split, and detectors --------------------------------------------------------------------


def texts_of_detectors(tables, monkeypatch, by: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What detectors learn from and judge."""
    monkeypatch.chdir(ROOT)
    at = layout(split={"by": by})
    samples = steps.DialogueWork(at, BOARD, tables, {}).source_samples
    return training_texts(at, BOARD, samples), dataset.targets(sided(samples), steps.NO_ROWS)


def test_by_dialogue_no_detector_judges_a_dialogue_that_it_learned_from(tables, monkeypatch):
    learned, judged = texts_of_detectors(tables, monkeypatch, "dialogue")
    assert learned.height and judged.height and not set(learned["group_id"]) & set(judged["group_id"])
    samples = dict(tables.samples.select("sample_id", "split").iter_rows())
    assert {samples[name] for name in learned["target_id"]} == {"train"}
    assert {samples[name] for name in judged["target_id"]} == {"test"}


def test_as_published_all_train_texts_are_learned_from_and_all_test_texts_judged(tables, monkeypatch):
    learned, judged = texts_of_detectors(tables, monkeypatch, "published")
    for part, side in ((learned, "train"), (judged, "test")):
        assert set(part["target_id"]) == set(tables.samples.filter(split=side)["sample_id"])


def test_the_leak_is_scored_beside(published):
    _, cells = published
    where = (("scenario", "spontaneous"), ("split", "by-sample"))
    assert cells["shared_dialogue_rate", "dataset", *where] == (1, N_DIALOGUES)
    where = (("scenario", "spontaneous"), ("split", "by-dialogue"))
    assert cells["shared_dialogue_rate", "dataset", *where] == (0, N_DIALOGUES)


# ---- responders beside published labels --------------------------------------------------------------------


def test_a_responder_is_asked_about_test_dialogues_and_the_published_labels_stay(built, stub, tables):
    at = layout(stub[1], responders=["denier"], subjects=[], temperatures=[])
    data, _ = built(at)
    assert set(data["samples"]["sample_id"]) == set(tables.samples["sample_id"])
    responses = (
        data["generations"]
        .filter(purpose="respond")
        .with_columns(pair("attributes", key) for key in ("history", "split"))
    )
    n_test = {turn.item_id for turn in steps.DialogueWork(at, BOARD, tables, {}).test}
    assert set(responses["split"]) == {"test"}
    for history in ("gold", "self"):
        assert set(responses.filter(history=history)["item_id"]) == n_test
    judged = dataset.targets(sided(data["samples"]), data["generations"])
    assert set(responses["generation_id"]) < set(judged["target_id"])
    assert not data["generations"].filter(pl.col("purpose").is_in(["annotate", "induce", "match"])).height


def test_test_dialogues_are_those_of_the_source_where_it_parts_whole_ones(tables, monkeypatch):
    monkeypatch.chdir(ROOT)
    sides = ["test" if number % 3 else "train" for number in range(N_DIALOGUES)]
    side_of = dict(zip(sorted(set(tables.items["group_id"])), sides, strict=True))
    whole = tables.samples.with_columns(split=pl.col("group_id").replace_strict(side_of))
    work = steps.DialogueWork(layout(responders=["denier"]), BOARD, replace(tables, samples=whole), {})
    assert {turn.group_id for turn in work.test} == {name for name, side in side_of.items() if side == "test"}
    (request,) = responding.requests(work.test[:1], [], "denier", work.questions)
    assert request.attributes["split"] == "test"
