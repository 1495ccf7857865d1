"""What people are given: strata, weights, passages."""

from collections import Counter

from truerate.tracks.wildhallucinations.tasks import annotation_tasks, dealt, passages_of

from .made_facts import PAGES, facts, item, reply, tables

ITEMS = [item(f"e{k}") for k in range(10)]
# a: 10 flagged of 100, b: 5 of 10, and one fact without a verdict
GIVEN = [facts("a", f"e{k}", "-+++++++++") for k in range(10)] + [facts("b", "e0", "-----+++++?")]
MADE = tables(ITEMS, [reply("a", f"e{k}") for k in range(10)] + [reply("b", "e0")], GIVEN)


def tasks(n_labelled=8, n_reviewed=12, n_checked=5, seed=7, data_set=MADE):
    numbers = {"verifier": "judge", "n_labelled": n_labelled, "n_reviewed": n_reviewed}
    numbers |= {"n_checked": n_checked, "seed": seed}
    return annotation_tasks(data_set["items"], data_set["facts"], data_set["judgements"], PAGES, **numbers)


def test_each_stratum_is_drawn_with_its_weight():
    drawn = [task for task in tasks() if task["kind"] == "fact"]
    counted = Counter((task["subject"], task["verdict"], task["weight"]) for task in drawn)
    # half of either verdict: 10 / 4 and 90 / 4 of a, 5 / 4 of b
    assert counted == {
        ("a", "unsupported", 2.5): 4,
        ("a", "supported", 22.5): 4,
        ("b", "unsupported", 1.25): 4,
        ("b", "supported", 1.25): 4,
    }
    assert sum(task["weight"] for task in drawn) == 110  # the facts that have a verdict


def test_reviews_are_dealt_over_subjects_and_verdicts():
    counted = Counter((task["subject"], task["verdict"]) for task in tasks() if task["kind"] == "review")
    assert counted == {(subject, verdict): 3 for subject in "ab" for verdict in ("supported", "unsupported")}


def test_reviews_show_what_the_model_was_given():
    given = '[{"url":"https://a.example","title":"One","text":"Said."},{"url":"https://b.example","title":"","text":""}]'
    data_set = tables(ITEMS, [reply("a", "e0", retrieved=given), reply("b", "e0")], GIVEN[:1] + GIVEN[-1:])
    numbers = {"verifier": "judge", "n_labelled": 4, "n_reviewed": 4, "n_checked": 1, "seed": 7}
    parts = data_set["items"], data_set["facts"], data_set["judgements"], PAGES
    reviewed = annotation_tasks(*parts, **numbers, generations=data_set["generations"])
    shown = {(task["kind"], task["subject"]): task.get("retrieved") for task in reviewed}
    assert shown["review", "a"] == ["https://a.example\nOne\nSaid.", "https://b.example"]
    assert {shown[other] for other in shown if other != ("review", "a")} == {None}
    plain = annotation_tasks(*parts, **numbers)
    assert plain == [
        {name: part for name, part in plain_task.items() if name != "retrieved"} for plain_task in reviewed
    ]


def test_entities_to_check():
    drawn = [task for task in tasks() if task["kind"] == "entity"]
    assert len(drawn) == 5 and {task["weight"] for task in drawn} == {2.0}
    assert drawn[0]["passages"] == ["Page\nText of a page."] and drawn[0]["entity"] == drawn[0]["text"]


def test_a_task_shows_its_passages_and_entity():
    task = next(task for task in tasks() if task["kind"] == "fact")
    assert task["passages"] == ["Text"]
    assert task["entity"] == f"Name {task['item_id']}"
    assert task["text"] == f"fact {task['fact_id']}"
    assert passages_of(["a:b:3-5", "gone:0-4"], {"a:b": "0123456"}) == ["34"]


def test_the_draw_goes_by_the_facts_and_the_seed():
    assert tasks() == tasks()
    assert {task["task_id"] for task in tasks()} != {task["task_id"] for task in tasks(seed=8)}
    more = tables(ITEMS, [], [*GIVEN, facts("c", "e1", "-+")])
    before = {task["task_id"] for task in tasks() if task["kind"] == "fact"}
    assert before <= {task["task_id"] for task in tasks(data_set=more)}


def test_small_groups_are_taken_whole():
    assert dealt([100, 2, 100], 11) == [5, 2, 4]
    assert dealt([3, 1], 10) == [3, 1]
    assert dealt([], 4) == []
    assert dealt([5, 5], 0) == [0, 0]
