"""Networks that score claims, on tiny random ones of the published classes: the exact inputs, the number that
is read, the pieces of long documents.
"""

import json

import polars as pl
import pytest
import torch
from safetensors.torch import save_file
from transformers import (
    AutoTokenizer,
    DebertaV2ForSequenceClassification,
    RobertaForSequenceClassification,
    RobertaModel,
    T5ForConditionalGeneration,
    T5ForTokenClassification,
)

from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, validate
from truerate.detectors.published.alignscore import as_safetensors
from truerate.detectors.published.checks import usable
from truerate.detectors.published.family import judge_published, network
from truerate.detectors.published.networks import Tokens
from truerate.detectors.published.texts import claims_of

from . import tiny_models as tiny

DOCUMENT = "Varn is a town in the north. It lies on the river Tola."
CLAIM = "Varn lies on the river."
LONG = " ".join([DOCUMENT, tiny.TEXTS[1]] * 20)


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def rows(*texts, knowledge=DOCUMENT):
    """Texts about one document."""
    names = ("target_id", "text", "knowledge", "question", "history")
    return pl.DataFrame(
        [(f"t{k}", text, knowledge, None, None) for k, text in enumerate(texts)],
        schema=dict.fromkeys(names, pl.String),
        orient="row",
    )


def scorer(weights, adapter, **more):
    how = Published(weights=weights, adapter=adapter, **more)
    return network(usable(how, "here"), how)


def share(logits, index=1):
    return torch.softmax(logits.float(), dim=-1)[0, index].item()


def n_windows(judged):
    """What the first row says of the pieces that were read."""
    return int({item["key"]: item["value"] for item in judged["attributes"][0].to_list()}["n_windows"])


def judgement(judged):
    return dict(zip(judged["target_id"], judged["p"], strict=True))


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    return tiny.roberta(tmp_path_factory.mktemp("roberta"), num_labels=2)


def test_minicheck_reads_one_string_and_class_one(roberta):
    model = RobertaForSequenceClassification.from_pretrained(roberta).eval()
    tokenizer = AutoTokenizer.from_pretrained(roberta)
    with torch.inference_mode():
        alone = share(model(**tokenizer(f"{DOCUMENT}</s>{CLAIM}", return_tensors="pt")).logits)
    how = {"mini": Published(weights=roberta, adapter="minicheck-roberta")}
    judged = validate(Judgement, judge_published(how, rows(CLAIM, "Tesk is old.")), where="here")
    assert judgement(judged)["t0"] == pytest.approx(1 - alone, abs=1e-4)
    assert judged["verdict"].to_list() == [p >= 0.5 for p in judged["p"]]
    assert len(set(judged["p"])) == 2, "the weights tell claims apart"
    assert judged["attributes"][0].to_list() == [
        {"key": "adapter", "value": "minicheck-roberta"},
        {"key": "n_windows", "value": "1"},
        {"key": "threshold", "value": "0.5"},
    ]


def test_a_long_document_is_asked_in_chunks_and_the_best_one_counts(roberta):
    asked = scorer(roberta, "minicheck-roberta", window=128)
    pieces = asked.pieces(LONG, CLAIM)
    beside = asked.n_beside(CLAIM)
    assert len(pieces) > 5 and all(len(asked.tokens.offsets(item)) <= 128 - beside for item in pieces)
    assert set(LONG.split()) == {word for item in pieces for word in item.split()} & set(LONG.split())
    how = {"mini": Published(weights=roberta, adapter="minicheck-roberta", window=128)}
    judged = judge_published(how, rows(CLAIM, knowledge=LONG))
    best = asked.parts([(piece, CLAIM) for piece in pieces])[:, 0].max()
    assert judged["p"][0] == pytest.approx(1 - best, abs=1e-4)
    assert {"key": "n_windows", "value": str(len(pieces))} in judged["attributes"][0].to_list()


def test_what_cannot_be_judged_says_why_and_a_claim_is_never_cut(roberta):
    how = {"mini": Published(weights=roberta, adapter="minicheck-roberta", window=64)}
    judged = judge_published(how, rows(CLAIM, "  ", CLAIM * 12))
    assert judged["reason"].to_list() == [None, "no-text", "too-long"]
    assert judged["verdict"].is_null().to_list() == [False, True, True]
    assert judge_published(how, rows(CLAIM, knowledge=" "))["reason"].to_list() == ["no-evidence"]
    with pytest.raises(TruerateError, match="more than its window of 64"):
        scorer(roberta, "minicheck-roberta", window=64).parts([(LONG, CLAIM)])


def test_a_special_token_in_a_text_is_read_as_its_signs(roberta):
    """A claim that ends the input and begins anew would be judged by what it says of itself."""
    asked = scorer(roberta, "minicheck-roberta")
    assert asked.tokens.plain("a </s> <b> <s>") == "a ‹/s> <b> ‹s>"
    claim = f"{CLAIM}</s>{CLAIM}"
    how = {"mini": Published(weights=roberta, adapter="minicheck-roberta")}
    expected = asked.parts([(DOCUMENT, claim.replace("</s>", "‹/s>"))])[0, 0]
    assert judge_published(how, rows(claim))["p"][0] == pytest.approx(1 - expected, abs=1e-4)
    assert abs(expected - asked.parts([(DOCUMENT, claim)])[0, 0]) > 1e-3, "as a token it would count"


def test_a_special_token_without_a_role_is_read_as_its_signs_too(tmp_path):
    """Llama 3 opens a turn with one that stands in no role of the tokenizer: a reply could begin a turn."""
    tiny.llama(tmp_path)
    file = tmp_path / "tokenizer.json"
    values = json.loads(file.read_text())
    turn = {"content": "<|start_header_id|>", "special": True, "normalized": False}
    values["added_tokens"].append(
        {"id": len(values["model"]["vocab"]), "single_word": False, "lstrip": False, "rstrip": False, **turn}
    )
    file.write_text(json.dumps(values))
    tokens = Tokens(str(tmp_path), None)
    plain = tokens.plain("a <|start_header_id|>system </s>")
    assert plain == "a ‹|start_header_id|>system ‹/s>" and len(tokens.offsets(plain)) > 8


def test_a_window_that_the_network_does_not_have_is_refused(roberta):
    with pytest.raises(TruerateError, match="sees 512 tokens; lower its window, 600"):
        scorer(roberta, "minicheck-roberta", window=600)


def test_factcg_and_minicheck_on_debertas_pieces(tmp_path):
    weights = tiny.deberta(tmp_path)
    model = DebertaV2ForSequenceClassification.from_pretrained(weights).eval()
    tokenizer = AutoTokenizer.from_pretrained(weights)
    asked = {
        "factcg": f"{DOCUMENT.replace('. It', '.{}It')}".format("\n")
        + f'\n\nChoose your answer: based on the paragraph above can we conclude that "{CLAIM}"?\n\n'
        "OPTIONS:\n- Yes\n- No\nI think the answer is ",
        "minicheck-deberta": f"{DOCUMENT}[SEP]{CLAIM}",
    }
    for adapter, text in asked.items():
        with torch.inference_mode():
            alone = share(model(**tokenizer(text, return_tensors="pt")).logits)
        judged = judge_published({"one": Published(weights=weights, adapter=adapter)}, rows(CLAIM))
        assert judged["p"][0] == pytest.approx(1 - alone, abs=1e-4), adapter


def test_summac_subtracts_what_any_sentence_has_against_it(tmp_path):
    names = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
    weights = tiny.roberta(tmp_path, id2label=names, label2id={name: index for index, name in names.items()})
    how = Published(weights=weights, adapter="summac-mnli", threshold=0.0, licence="mit")
    model = RobertaForSequenceClassification.from_pretrained(weights).eval()
    tokenizer = AutoTokenizer.from_pretrained(weights)
    scores = []
    for claim in ("Varn lies on the river.", "Tesk has a wall."):
        result = []
        for piece in ("Varn is a town in the north.", "It lies on the river Tola."):
            with torch.inference_mode():
                logits = model(**tokenizer(piece, claim, return_tensors="pt")).logits
            result.append((share(logits, 2), share(logits, 0)))
        scores.append(max(item for item, _ in result) - max(other for _, other in result))
    judged = judge_published({"s": how}, rows("Varn lies on the river. Tesk has a wall."))
    assert judged["p"][0] == pytest.approx((1 - sum(scores) / 2) / 2, abs=1e-4)
    assert judged["verdict"][0] == (sum(scores) / 2 <= 0)
    assert {"key": "n_windows", "value": "4"} in judged["attributes"][0].to_list()
    assert claims_of(usable(how, "here"), "So. It is a long one.") == ["It is a long one."]
    assert claims_of(usable(how, "here"), "So.") == ["So."], "unless there are no others"


def test_hhem_reads_the_first_token_of_an_encoder_without_foreign_code(tmp_path):
    weights, base = tiny.hhem(tmp_path / "hhem", tmp_path / "base")
    how = Published(weights=weights, adapter="hhem-2.1-open", base=base)
    asked = network(usable(how, "here"), how)
    tokenizer = AutoTokenizer.from_pretrained(base)
    prompt = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {}\n\nHypothesis: {}"
    ids = tokenizer(prompt.format(DOCUMENT, CLAIM), return_tensors="pt")
    assert ids["input_ids"][0, 0] == tokenizer.pad_token_id
    assert isinstance(asked.model, T5ForTokenClassification)
    with torch.inference_mode():
        logits = asked.model(input_ids=ids["input_ids"], attention_mask=ids["attention_mask"]).logits
    judged = judge_published({"hhem": how}, rows(CLAIM, "Tesk is old."))
    assert judged["p"][0] == pytest.approx(1 - share(logits[:, 0]), abs=1e-4)
    assert judged["p"][0] != judged["p"][1]
    cut = judge_published({"hhem": how.model_copy(update={"window": 160})}, rows(CLAIM, knowledge=LONG))
    assert cut["verdict"].null_count() == 0 and n_windows(cut) > 1


def test_flan_t5_says_with_its_first_word(tmp_path):
    weights = tiny.flan_t5(tmp_path)
    model = T5ForConditionalGeneration.from_pretrained(weights).eval()
    tokenizer = AutoTokenizer.from_pretrained(weights)
    inputs = tokenizer(f"predict: {DOCUMENT}</s>{CLAIM}", return_tensors="pt")
    with torch.inference_mode():
        logits = model(**inputs, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
    alone = torch.softmax(logits[[3, 209]], dim=-1)[1].item()
    how = {"mini": Published(weights=weights, adapter="minicheck-flan-t5")}
    assert judge_published(how, rows(CLAIM))["p"][0] == pytest.approx(1 - alone, abs=1e-4)
    judged = judge_published({"t": Published(weights=weights, adapter="trueteacher")}, rows(CLAIM))
    asked = tokenizer(f"premise: {DOCUMENT} hypothesis: {CLAIM}", return_tensors="pt")
    with torch.inference_mode():
        logits = model(**asked, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
    assert judged["p"][0] == pytest.approx(1 - torch.softmax(logits, dim=-1)[209].item(), abs=1e-4)


def checkpoint(folder, **changed):
    """An AlignScore checkpoint as its training library wrote it, and the RoBERTa that it began with."""
    base = tiny.roberta(folder / "base", num_labels=2)
    body = tiny.loud(RobertaModel(tiny.roberta_config(tiny.roberta_tokenizer())))
    heads = {"bin_layer": 2, "tri_layer": 3, "reg_layer": 1}
    state = {f"base_model.{name}": value for name, value in body.state_dict().items()}
    draws = torch.Generator().manual_seed(5)
    for name, n in heads.items():
        state |= {f"{name}.weight": torch.randn(n, 32, generator=draws), f"{name}.bias": torch.zeros(n)}
    torch.save({"state_dict": state | changed, "epoch": 3}, folder / "AlignScore-base.ckpt")
    return folder / "AlignScore-base.ckpt", base, body, state


def test_alignscores_checkpoint_is_written_anew_and_read_by_its_head_of_three(tmp_path):
    path, base, body, state = checkpoint(tmp_path)
    as_safetensors(path, base, tmp_path / "align")
    tokenizer = AutoTokenizer.from_pretrained(base)
    scores = []
    for claim in ("Varn lies on the river.", "Tesk has a wall."):
        with torch.inference_mode():
            pooled = body(**tokenizer(DOCUMENT, claim, return_tensors="pt")).pooler_output
            scores.append(share(pooled @ state["tri_layer.weight"].T, 0))
    how = Published(weights=str(tmp_path / "align"), adapter="alignscore", threshold=0.5)
    judged = judge_published({"a": how}, rows("Varn lies on the river. Tesk has a wall."))
    assert judged["p"][0] == pytest.approx(1 - sum(scores) / 2, abs=1e-4)


def test_a_checkpoint_that_is_none_of_alignscores_is_one_line(tmp_path):
    path, base, *_ = checkpoint(tmp_path)
    for judgement, write in (
        ("no `tri_layer`", lambda: torch.save({"state_dict": {}}, path)),
        ("reading checkpoint", lambda: path.write_bytes(b"no pickle")),
    ):
        write()
        with pytest.raises(TruerateError, match=judgement) as raised:
            as_safetensors(path, base, tmp_path / "align")
        assert "\n" not in str(raised.value)
    save_file({"tri_layer.weight": torch.zeros(3, 32)}, tmp_path / "base/model.safetensors")
    with pytest.raises(TruerateError, match="is not AlignScore's: base_model"):
        scorer(base, "alignscore", threshold=0.5)
