from truerate.metrics.sentence_spans import sentence_spans

TEXT = 'Varn is a town. It lies on the Odla!  "Is it old?" Yes: from 1204.\nIts market\n\nhas cheese 町。城。'


def test_sentences_and_lines_are_spans_of_the_text():
    found = [TEXT[start:end] for start, end in sentence_spans(TEXT)]
    assert found == [
        "Varn is a town.",
        "It lies on the Odla!",
        '"Is it old?"',
        "Yes: from 1204.",
        "Its market",
        "has cheese 町。",
        "城。",
    ]
    assert sentence_spans(" \n ") == []
