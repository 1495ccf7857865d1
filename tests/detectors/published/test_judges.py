"""Judges that write: what they are asked, letter by letter, how their replies add up, and a tiny random Llama
that is asked for real.
"""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.detectors.published.adapters import ADAPTERS
from truerate.detectors.published.checks import usable
from truerate.detectors.published.judges import AROUND, Answered, judge, question_of, roughly
from truerate.detectors.published.texts import Text
from truerate.detectors.published.writer import Writer

from . import tiny_models as tiny

TEXT = Text("t", "Varn is old. It lies on the sea.", "Varn is a town.", "What is Varn?")
HALLUJUDGE = {"template": "K: {document}\nR: {claim}\nJ: ", "licence": "mit"}


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def adapter(name, **more):
    return usable(Published(model="m", adapter=name, **more), "here")


class Judge:
    """Answers as it is told to, in turn, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def __call__(self, questions):
        self.asked += questions
        return [self.answers[index % len(self.answers)] for index in range(len(questions))]


def test_each_judge_is_asked_in_its_own_layout():
    bespoke = question_of(ADAPTERS["bespoke-minicheck"], "D", "C", "Q")
    assert [item["role"] for item in bespoke.messages] == ["system", "user"]
    assert bespoke.messages[1]["content"] == "Document: D\nClaim: C" and bespoke.n_written == 1
    granite = question_of(ADAPTERS["granite-guardian-3.3"], "D", "C", "Q")
    assert granite.messages == ({"role": "assistant", "content": "C"},)
    assert granite.template_values == {
        "documents": [{"doc_id": "0", "text": "D"}],
        "guardian_config": {"criteria_id": "groundedness"},
        "think": False,
    }
    lynx = question_of(ADAPTERS["lynx"], "D", "C", "Q")
    assert len(lynx.messages) == 1 and "DOCUMENT:\nD\n" in lynx.messages[0]["content"]
    assert question_of(adapter("hallujudge", **HALLUJUDGE), "D", "C", "Q").text == "K: D\nR: C\nJ: "


def test_of_sentences_the_least_supported_decides():
    """Shares of yes .75 and .25: the second sentence is not borne out, p = 1 − .25."""
    asked = Judge(Answered("Yes", yes_no=(0.75, 0.25)), Answered("No", yes_no=(0.25, 0.75)))
    judged = judge(adapter("bespoke-minicheck"), [TEXT], asked)[0]
    assert (judged.verdict, judged.p, judged.n_windows) == (True, 0.75, 2)
    assert [item.messages[1]["content"].splitlines()[1] for item in asked.asked] == [
        "Claim: Varn is old.",
        "Claim: It lies on the sea.",
    ]
    assert judge(adapter("bespoke-minicheck"), [TEXT], Judge(Answered("Yes"), Answered("No")))[0][:2] == (
        True,
        None,
    )
    unread = judge(adapter("bespoke-minicheck"), [TEXT], Judge(Answered("Yes"), Answered("Maybe")))[0]
    assert (unread.verdict, unread.reason) == (None, "unparsed-reply")


def test_a_reply_that_did_not_come_is_no_verdict():
    judged = judge(adapter("lynx"), [TEXT], Judge(Answered(None, reason="timeout")))[0]
    assert (judged.verdict, judged.reason, judged.p) == (None, "timeout", None)
    cut = judge(adapter("lynx"), [TEXT], Judge(Answered('{"REASONING": ["It', is_cut=True)))[0]
    assert (cut.verdict, cut.reason) == (None, "cut-reply")


def test_hallujudge_gives_p_place_and_reason():
    values = Answered('Yes. "on the sea" is not known.', yes_no=(0.3, 0.1))
    judged = judge(adapter("hallujudge", **HALLUJUDGE), [TEXT], Judge(values))[0]
    assert (judged.verdict, judged.p, judged.rationale) == (True, 0.75, '"on the sea" is not known.')
    assert judged.spans == [{"start": 21, "end": 31, "type": "unspecified", "p": 0.75}]
    faithful = judge(adapter("hallujudge", **HALLUJUDGE), [TEXT], Judge(values._replace(yes_no=(0.1, 0.3))))[
        0
    ]
    assert (faithful.verdict, faithful.spans, faithful.rationale) == (False, [], None)


def test_a_long_document_is_asked_about_window_by_window():
    asked = Judge(Answered("<score> yes </score>"), Answered("<score> no </score>"))
    long = TEXT._replace(document=" ".join(f"word{k}" for k in range(400)))
    judged = judge(adapter("granite-guardian-3.3", window=512), [long], asked)[0]
    recorded = [item.template_values["documents"][0]["text"] for item in asked.asked]
    assert judged.n_windows == len(recorded) > 1 and judged.verdict is False, (
        "one that bears it out is enough"
    )
    assert {word for item in recorded for word in item.split()} >= {f"word{k}" for k in range(399)}
    beside = len(roughly(TEXT.text)) + AROUND + 64
    assert all(len(roughly(item)) <= 512 - beside for item in recorded)


def test_texts_that_cannot_be_asked_about_cost_nothing_and_move_no_other():
    asked = Judge(Answered("<score> yes </score>"))
    texts = [TEXT._replace(text=" "), TEXT, TEXT._replace(document=" "), TEXT._replace(text="word " * 400)]
    judged = judge(adapter("granite-guardian-3.3", window=256), texts, asked)
    assert [item.reason for item in judged] == ["no-text", None, "no-evidence", "too-long"]
    assert judged[1].verdict is True and len(asked.asked) == 1


def test_a_local_judge_is_asked_by_its_chat_template(tmp_path):
    """Greedily, and its first word's share is that of the likeliest five."""
    weights = tiny.llama(tmp_path)
    how = Published(weights=weights, adapter="granite-guardian-3.3", window=4096)
    writer = Writer(usable(how, "here"), how)
    question = question_of(writer_adapter(how), TEXT.document, TEXT.text, "")._replace(n_written=3)
    prompt = f"<doc 0>{TEXT.document}</doc><groundedness False><assistant>{TEXT.text}<go>"
    ids = AutoTokenizer.from_pretrained(weights)(prompt, add_special_tokens=False, return_tensors="pt")[
        "input_ids"
    ]
    assert writer.ids(question).tolist() == ids.tolist()
    model = AutoModelForCausalLM.from_pretrained(weights).eval()
    with torch.inference_mode():
        first = model(ids).logits[0, -1]
    answered = writer.ask([question])[0]
    judged = writer.tokens.tokenizer.decode([int(first.argmax())], skip_special_tokens=True).strip()
    assert answered.text.startswith(judged) and answered.is_cut
    shares, places = first.softmax(-1).topk(5)
    words = [writer.tokens.tokenizer.decode([item]).strip().lower() for item in places.tolist()]
    yes = sum(share for share, word in zip(shares.tolist(), words, strict=True) if word == "yes")
    assert answered.yes_no[0] == pytest.approx(yes, abs=1e-5)


def writer_adapter(how):
    return usable(how, "here")


def test_a_plain_judge_needs_no_chat_template_and_others_do(tmp_path):
    weights = tiny.llama(tmp_path, chat=None)
    plain = Published(weights=weights, adapter="hallujudge", window=512, **HALLUJUDGE)
    writer = Writer(usable(plain, "here"), plain)
    question = question_of(usable(plain, "here"), "D", "C", "")
    assert writer.tokens.tokenizer.decode(writer.ids(question)[0].tolist()).endswith("K: D\nR: C\nJ: ")
    lynx = Published(weights=weights, adapter="lynx", window=512)
    with pytest.raises(TruerateError, match="no chat template, which adapter 'lynx' needs"):
        Writer(usable(lynx, "here"), lynx)
    with pytest.raises(TruerateError, match="sees 8192 tokens; lower its window, 9000"):
        Writer(usable(how := plain.model_copy(update={"window": 9000}), "here"), how)
