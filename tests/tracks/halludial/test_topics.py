"""Topics on which judges fail and responders hallucinate."""

from truerate.core.schemas import Document, Item, Judgement, Sample, frame
from truerate.tracks.halludial.making_scores import topic_table

from .made_scores import WRITER, item, judgement, sample

WORDS = {True: "river boat harbour water ship", False: "song music melody piano chorus"}


def table(judgements: list[dict], samples: list[dict], **how) -> list[dict]:
    items = [item(f"i{n}", f"g{n}") | {"question": " ".join([WORDS[n % 2 == 0]] * 3)} for n in range(40)]
    tables = frame(Item, items), frame(Document), frame(Sample, samples), frame(Judgement, judgements)
    return topic_table(*tables, n_topics=2, **how, statistics=WRITER.statistics, seed=7)


def labelled_sample(n: int, *, is_hallucinated: bool) -> dict:
    return sample(f"s{n}", is_hallucinated, item_id=f"i{n}", group_id=f"g{n}", generator="aster")


def test_who_fails_on_one_topic_is_found():
    # aster hallucinates on rivers alone; the judge always says no and is so wrong there
    samples = [labelled_sample(n, is_hallucinated=n % 2 == 0) for n in range(40)]
    result = table([judgement(f"s{n}", False) for n in range(40)], samples)
    assert [(row["task"], row["judge"]) for row in result[::2]] == [
        ("data", "all"),
        ("responders", "aster"),
        ("judges", "judge"),
    ]
    for row in result:
        is_river = row["words"][0] in WORDS[True]
        assert (row["n"], row["share"], row["rate"], row["is_failed"]) == (20, 0.5, float(is_river), is_river)


def test_topics_of_texts_count_the_hallucinated_ones_that_a_judge_passes_over():
    """Every question is of rivers; 20 texts speak of music, half of them hallucinated, which the judge passes
    over. It flags the hallucinated ones on rivers, and is wrong of right ones, which do not count.
    """
    samples, judgements = [], []
    for n in range(40):
        is_music, is_hallucinated = n >= 20, n % 2 == 0
        text = " ".join([WORDS[not is_music]] * 9)
        samples.append(labelled_sample(n, is_hallucinated=is_hallucinated) | {"item_id": "i0", "text": text})
        judgements.append(judgement(f"s{n}", not is_music))
    rows = [row for row in table(judgements, samples, of_texts=True) if row["n"]]
    of_judge = {row["words"][0] in WORDS[False]: row for row in rows if row["task"] == "judges"}
    assert {is_music: (row["n"], row["n_failed"]) for is_music, row in of_judge.items()} == {
        True: (10, 10),
        False: (10, 0),
    }
    assert {row["n"] for row in rows if row["task"] == "data"} == {20}


def test_nothing_to_find_topics_in():
    assert table([], []) == []


def test_who_never_answered_fails_on_nothing():
    dead = [judgement(f"s{n}", None, status="dead") for n in range(40)]
    result = table(dead, [labelled_sample(n, is_hallucinated=False) for n in range(40)])
    assert {row["task"] for row in result} == {"data", "responders"}
