"""Classifiers of tokens on a tiny random ModernBERT: the pair that is read, whose tokens count, long
documents.
"""

import polars as pl
import pytest
import torch
from transformers import AutoTokenizer, ModernBertForTokenClassification

from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, validate
from truerate.detectors.published.checks import usable
from truerate.detectors.published.family import judge_published
from truerate.detectors.published.marks import Marks
from truerate.detectors.published.texts import Text

from . import tiny_models as tiny

PASSAGES = "Varn is a town in the north.\n\nIt lies on the river Tola."
ANSWER = "Varn lies on the river, built in 1912."
QUESTION = (
    "Briefly answer the following question:\nWhere is Varn?\n"
    "Bear in mind that your response should be strictly based on the following 2 passages:\n"
    "passage 1: Varn is a town in the north.\npassage 2: It lies on the river Tola.\n"
    "In case the passages do not contain the necessary information to answer the question, please reply "
    "with: "
    '"Unable to answer based on given passages."\noutput:'
)
SUMMARY = "Summarize the following text:\npassage 1: Varn is a town in the north.\npassage 2: It lies on the river Tola.\noutput:"


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return tiny.modernbert(tmp_path_factory.mktemp("modernbert"))


def how(weights, **more):
    return Published(**({"weights": weights, "adapter": "lettucedetect"} | more))


def marks(weights, **more):
    settings = how(weights, **more)
    return Marks(usable(settings, "here"), settings)


def rows(text, question=None, knowledge=PASSAGES):
    values = {"target_id": "t", "text": text, "knowledge": knowledge, "question": question, "history": None}
    return pl.DataFrame([values], schema=dict.fromkeys(values, pl.String))


def alone(weights, prompt, answer):
    """P(class 1) and the characters of each token of the answer, as LettuceDetect's card reads them."""
    model = ModernBertForTokenClassification.from_pretrained(weights).eval()
    values = AutoTokenizer.from_pretrained(weights)(
        prompt, answer, return_offsets_mapping=True, return_tensors="pt"
    )
    places = [index for index, part in enumerate(values.sequence_ids(0)) if part == 1]
    borders = values.pop("offset_mapping")[0]
    with torch.inference_mode():
        p = model(**values).logits[0].softmax(-1)[places, 1].tolist()
    return [(tuple(borders[index].tolist()), item) for index, item in zip(places, p, strict=True)]


@pytest.mark.parametrize(
    ("question", "prompt"), [("Where is Varn?", QUESTION), (None, SUMMARY)], ids=["asked", "summed"]
)
def test_every_token_of_the_answer_has_the_p_that_its_card_says(weights, question, prompt):
    judged = validate(Judgement, judge_published({"x": how(weights)}, rows(ANSWER, question)), where="here")
    spans = judged["spans"][0].to_list()
    expected = alone(weights, prompt, ANSWER)
    assert "".join(ANSWER[a:b] for (a, b), _ in expected) == ANSWER, "the answer's tokens and no others"
    for (start, end), p in expected:
        inside = [
            item
            for item in spans
            if item["start"] < end and start < item["end"] and not ANSWER[start:end].isspace()
        ]
        values = max((item["p"] for item in inside), default=0.0)
        assert values == pytest.approx(p, abs=0.006) or (p < 0.06 and values == 0.0)
    largest = max(p for _, p in expected)
    assert judged["p"][0] == pytest.approx(largest, abs=0.006)
    assert judged["verdict"][0] == (judged["p"][0] > 0.5)
    assert {item["type"] for item in spans} <= {"hallucination"}


def test_whole_passages_are_grouped_and_a_long_one_is_read_in_windows(weights):
    asked = marks(weights, window=200)
    passages = [f"Varn is town {k} in the north." for k in range(12)]
    prompts = asked.prompts(Text("t", ANSWER, "\n\n".join(passages), ""))
    assert len(prompts) > 1 and all(sum(item in prompt for prompt in prompts) == 1 for item in passages)
    assert all(prompt.count("passage 1: ") == 1 for prompt in prompts), "each group counts from one"
    lengths = [len(asked.tokens.encoded(prompt, ANSWER)["input_ids"]) for prompt in prompts]
    assert max(lengths) <= 200
    long = " ".join(passages * 4)
    windows = asked.prompts(Text("t", ANSWER, long, ""))
    assert len(windows) > 1 and all(any(word in item for item in windows) for word in long.split())
    judged = judge_published({"x": how(weights, window=200)}, rows(ANSWER, knowledge=long))
    assert {"key": "n_windows", "value": str(len(windows))} in judged["attributes"][0].to_list()
    largest = max(p for prompt in windows for _, p in alone(weights, prompt, ANSWER))
    assert judged["p"][0] == pytest.approx(largest, abs=0.006), "the most suspicious window counts"


def test_an_answer_that_leaves_no_room_is_not_judged_and_one_without_text_is_clean(weights):
    judged = judge_published({"x": how(weights, window=200)}, rows(ANSWER * 12))
    assert judged.select("verdict", "status", "reason").row(0) == (None, "unparsed", "too-long")
    assert judge_published({"x": how(weights)}, rows(ANSWER, knowledge=""))["reason"][0] == "no-evidence"
    assert judge_published({"x": how(weights)}, rows(""))["verdict"][0] is False


def test_a_network_that_sees_less_than_its_window_is_refused(tmp_path):
    with pytest.raises(TruerateError, match="sees 256 tokens; lower its window, 4096"):
        marks(tiny.modernbert(tmp_path, max_position_embeddings=256))
