"""The strings that published detectors were trained on, letter by letter as their projects document them."""

from truerate.detectors.published import templates as t
from truerate.detectors.published.templates import fields_of, filled

CLAIM = "Varn has {walls}."  # braces of a text are no fields
TOLD = {"document": "Varn lies on {claim}.", "claim": CLAIM, "question": "Where?", "n": 2, "eos": "</s>"}


def test_what_is_filled_in_is_never_read_again_for_fields():
    assert filled("{document}|{claim}|{eos}", **TOLD) == "Varn lies on {claim}.|Varn has {walls}.|</s>"
    assert filled("{document}{other}", document="a") == "a{other}"
    assert fields_of(t.LYNX) == {"question", "document", "claim"}


def test_one_string_holds_chunk_and_claim():
    told = {"document": "D", "claim": "C", "eos": "</s>"}
    assert filled(t.MINICHECK, **told) == "D</s>C"
    assert filled(t.MINICHECK_T5, **told) == "predict: D</s>C"
    assert filled(t.TRUE_NLI, **told) == "premise: D hypothesis: C"
    assert filled(t.HHEM, **told) == (
        "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: D\n\nHypothesis: C"
    )
    assert filled(t.FACTCG, **told) == (
        'D\n\nChoose your answer: based on the paragraph above can we conclude that "C"?\n\n'
        "OPTIONS:\n- Yes\n- No\nI think the answer is "
    )


def test_lettucedetects_prompts_end_without_a_line_break():
    asked = filled(t.LETTUCE_QUESTION, question="Where?", n=2, document="passage 1: A\npassage 2: B")
    assert asked.split("\n") == [
        "Briefly answer the following question:",
        "Where?",
        "Bear in mind that your response should be strictly based on the following 2 passages:",
        "passage 1: A",
        "passage 2: B",
        "In case the passages do not contain the necessary information to answer the question, please reply with: "
        '"Unable to answer based on given passages."',
        "output:",
    ]
    assert filled(t.LETTUCE_SUMMARY, document="passage 1: A") == (
        "Summarize the following text:\npassage 1: A\noutput:"
    )
    assert filled(t.LETTUCE_2_QUESTION, question="Q", document="A") == "User request: Q\n\nA"


def test_judges_prompts_keep_their_blocks():
    lynx = filled(t.LYNX, question="Q", document="D", claim="A")
    assert (
        "QUESTION (THIS DOES NOT COUNT AS BACKGROUND INFORMATION):\nQ\n\n--\nDOCUMENT:\nD\n\n--\nANSWER:\nA\n\n--\n\nYour"
        in lynx
    )
    assert lynx.endswith('{"REASONING": <your reasoning as bullet points>, "SCORE": <your final score>}')
    assert filled(t.BESPOKE, document="D", claim="C") == "Document: D\nClaim: C"
    assert filled(t.FAVA, document="D", claim="C").endswith("[Text] C\n[Edited] ")
