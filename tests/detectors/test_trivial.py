from truerate.detectors.family import member

from .labelled_texts import contexts, samples


def judge(name, train, test, seed=7):
    result = member(name).fit(train, contexts(train), seed).judge(test, contexts(test))
    return result["verdict"].to_list(), result["p"].to_list()


def test_random_keeps_the_prevalence_and_depends_on_the_sample_alone():
    train = samples([("x", i % 5 == 0) for i in range(100)])  # 20 of 100
    many = samples([("x", False)] * 2000, split="test")
    verdicts, p = judge("random", train, many)
    assert set(p) == {0.2} and 0.17 < sum(verdicts) / 2000 < 0.23  # ± 3.4 standard errors of .009
    assert judge("random", train, many[1000:])[0] == verdicts[1000:]
    assert judge("random", train, many, seed=8)[0] != verdicts


def test_length_takes_the_feature_that_tells_and_its_shares():
    # words tell nothing (all two), characters do: above 8.5 two of two are hallucinated, below one of four
    train = samples(
        [
            ("a bc", False),
            ("a bcd", False),
            ("a bcde", False),
            ("ab cdef", True),
            ("abcd efgh", True),
            ("abcde fghi", True),
        ]
    )
    verdicts, p = judge("length", train, samples([("x yz", False), ("lengthy phrases", True)], split="test"))
    assert verdicts == [False, True] and p == [0.0, 1.0]  # the cut lies between 6 and 7 characters


def test_punctuation_learns_its_direction():
    train = samples([("A sentence.", False), ("fragment", True)] * 4)
    assert judge("punctuation", train, samples([("One.", False), ("one", True)], split="test"))[0] == [
        False,
        True,
    ]
