"""Topics on which a judge fails, as we count them and as the paper does."""

from types import SimpleNamespace

from truerate.config import Statistics
from truerate.core.schemas import Document, Item, Judgement, Sample, frame
from truerate.tracks.halueval.scores import topics

from .builders import item, sample, settings
from .test_recognition_scores import verdict_of

ASKED, RIVER, MUSIC = ("tower wall roof window", "river boat harbour water", "song music melody piano")


def failures(**changes) -> list[tuple]:
    """Eight queries on towers, each with a response on rivers or on music, half of each hallucinated. The judge
    passes all on music and flags all on rivers.
    """
    items, samples, judgements = [], [], []
    for n in range(8):
        is_music = n >= 4
        items.append(item(f"i{n}", "general", question=" ".join([ASKED] * 2)))
        text = " ".join([MUSIC if is_music else RIVER] * 9)
        samples.append(sample(f"s{n}", f"i{n}", n % 2 == 0, task="general", text=text))
        judgements.append(verdict_of("judge", f"s{n}", not is_music, variant="plain"))
    statistics = Statistics(confidence=0.95, n_bootstrap=100, alpha=0.05)
    p = SimpleNamespace(track=lambda board: settings(**changes), statistics=statistics, seed=7)
    tables = {"items": frame(Item, items), "documents": frame(Document), "samples": frame(Sample, samples)}
    rows = topics(SimpleNamespace(p=p), "board", **tables, judgements=frame(Judgement, judgements))
    return [(set(row["words"]), row["n"], row["n_failed"]) for row in rows if row["n"]]


def test_ours_are_of_what_is_asked_and_count_every_wrong_verdict():
    (((words, n, n_failed)),) = failures()
    assert words == set(ASKED.split()) and (n, n_failed) == (8, 4)


def test_the_papers_are_of_the_hallucinated_texts_and_count_those_that_are_passed_over():
    on_music = {
        bool(words & set(MUSIC.split())): (n, n_failed) for words, n, n_failed in failures(topics="paper")
    }
    assert on_music == {True: (2, 2), False: (2, 0)}
