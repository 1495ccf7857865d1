import pytest

from truerate.metrics.topics import lda_topics, topic_failures

SETTINGS = {"n_resamples": 2000, "alpha": 0.05, "seed": 7}


def test_two_vocabularies_are_two_topics():
    rivers, stars = ["river bank water flood river"] * 12, ["star orbit planet telescope star"] * 12
    result = lda_topics(rivers + stars, n_topics=2, seed=7)
    first, second = result.topic_of[0], result.topic_of[-1]
    assert first != second and result.topic_of == [first] * 12 + [second] * 12
    assert "river" in result.words[first] and "star" in result.words[second]
    assert lda_topics(rivers + stars, n_topics=2, seed=7) == result


def test_no_words_at_all():
    assert lda_topics(["the of", ""], n_topics=2, seed=7).topic_of == [0, 0]


def test_a_topic_above_the_board_is_failed():
    # topic 0: 18 of 20, topic 1: 20 of 80, board 38 %; topic 2 has no texts
    topic_of = [0] * 20 + [1] * 80
    is_failed = [True] * 18 + [False] * 2 + [True] * 20 + [False] * 60
    zero, item, two = topic_failures(topic_of, is_failed, range(100), n_topics=3, **SETTINGS)
    assert (zero.n, zero.n_failed, zero.rate, zero.is_failed) == (20, 18, 0.9, True)
    assert item.rate == 0.25 and not item.is_failed
    assert two.rate is two.p is two.p_holm is None and not two.is_failed


def test_binomial_tail_by_hand():
    # 3 of 3 in topic 0, 1 of 5 in topic 1, board 1/2: P(3 of 3) = 1/8; P(at least 1 of 5) = 31/32; Holm: 1/4
    # and 31/32
    result = topic_failures([0] * 3 + [1] * 5, [True] * 4 + [False] * 4, range(8), n_topics=2, **SETTINGS)
    assert [f.p for f in result] == pytest.approx([1 / 8, 31 / 32])
    assert [f.p_holm for f in result] == pytest.approx([1 / 4, 31 / 32])


def test_texts_of_one_article_are_one_piece_of_evidence():
    # 10 failures in one article are not 10 failures in ten articles
    topic_of = [0] * 10 + [1] * 90
    is_failed = [True] * 10 + [True] * 9 + [False] * 81
    ten = topic_failures(
        topic_of,
        is_failed,
        [f"a{i}" for i in range(10)] + [f"b{i // 2}" for i in range(90)],
        n_topics=2,
        **SETTINGS,
    )
    item = topic_failures(
        topic_of, is_failed, ["a"] * 10 + [f"b{i}" for i in range(90)], n_topics=2, **SETTINGS
    )
    assert ten[0].is_failed and not item[0].is_failed


def test_no_texts():
    assert topic_failures([], [], [], n_topics=2, **SETTINGS)[0].rate is None
