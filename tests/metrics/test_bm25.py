import bm25s
import numpy as np
import pytest

from truerate.metrics.bm25 import Index


def drawn(seed, n_docs=40, n_queries=12):
    rng = np.random.default_rng(seed)
    p = 1 / np.arange(1, 301)
    draw = lambda n: [f"w{position}" for position in rng.choice(300, n, p=p / p.sum())]  # noqa: E731
    return [draw(rng.integers(0, 60)) for _ in range(n_docs)], [
        draw(rng.integers(1, 15)) for _ in range(n_queries)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_bm25s(seed):
    documents, queries = drawn(seed)
    peer = bm25s.BM25()
    peer.index(documents, show_progress=False)
    existing = [[token for token in query if token in peer.vocab_dict] for query in queries]
    expected = np.array([peer.get_scores(query) for query in existing])
    assert np.allclose(Index.of(documents).scores(queries), expected, atol=1e-5) and expected.max() > 1


@pytest.mark.parametrize("k", [1, 3, 40, 99])
def test_the_best_come_first_ties_in_order_and_none_without_a_shared_word(k):
    documents, queries = drawn(5)
    documents += documents[:5]  # equal passages
    index = Index.of(documents)
    for query, result in zip(queries, index.best(queries, k), strict=True):
        scores = [round(float(score), 4) for score in index.scores([query])[0]]
        assert (
            result
            == [
                position
                for position in sorted(range(45), key=lambda position: (-scores[position], position))
                if scores[position] > 0
            ][:k]
        )


def test_an_index_that_was_saved_ranks_as_before(tmp_path):
    documents, queries = drawn(7)
    for number, tokens in enumerate((documents, [[], []], [])):
        index = Index.of(tokens)
        index.save(tmp_path / str(number))
        loaded = Index.load(tmp_path / str(number))
        assert loaded.best(queries, 9) == index.best(queries, 9)
        assert np.array_equal(loaded.scores(queries), index.scores(queries))
