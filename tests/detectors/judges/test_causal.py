"""The form `causal`, on a tiny random Llama: what it reads, what is learned, and that a kill changes nothing."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import polars as pl
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import decoders
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from truerate.config import Judging
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, validate
from truerate.detectors.judges.causal import TOO_LONG, judged_all, judging_task, p_and_reasons
from truerate.detectors.judges.decision import Decision
from truerate.detectors.judges.decoder import completion, example_of, from_weights, load, prompt
from truerate.detectors.judges.family import check_judge, jobs_of, judge_texts
from truerate.detectors.judges.judged import training_passages, with_references
from truerate.detectors.tokens.encode import tiny_coder
from truerate.detectors.training.jobs import CHECKPOINT
from truerate.pipeline.judges.judge_network import network_judge
from truerate.pipeline.judges.judge_prompts import Asked

from ..fitting import fit_judges
from ..tokens import lessons
from .dialogues import responses

TESTS = Path(__file__).parents[2]
HOW = Judging(form="causal", backbone="llama", folds=3)
SHAPE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2}


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def weights(tmp_path_factory) -> str:
    """A folder with a Llama of random weights and a tokenizer that knows the towns."""
    return str(built(tmp_path_factory.mktemp("llama")))


def built(folder: Path) -> Path:
    """The same small Llama, in a folder."""
    reference = responses(12)
    ours = ["Knowledge: Ada. Old. New.", "Conversation: Bo.", "Response: No.", "Hallucinated? Yes."]
    ours.append('The segment "')
    coder = tiny_coder([*reference["text"], *reference["knowledge"], *ours * 9], 700)
    coder.tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    PreTrainedTokenizerFast(tokenizer_object=coder.tokenizer, pad_token="<pad>").save_pretrained(folder)
    torch.manual_seed(3)
    config = LlamaConfig(vocab_size=coder.n_words, intermediate_size=64, max_position_embeddings=512, **SHAPE)
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def backbone(weights: str, **changes):
    """How the small Llama learns."""
    values = {"weights": weights, "mask": "causal", "features": [], "max_tokens": 400, "learning_rate": 3e-3}
    more = {"weight_decay": 0.0, "warm_up": 0.03, "batch": 4, "epochs": 2, "max_steps": 6}
    more |= {"checkpoint_steps": 2}
    return lessons.backbone(**(values | more | changes))


def rows(n: int, **where) -> pl.DataFrame:
    """Responses as the forms get them."""
    return training_passages(with_references(responses(n, **where)))


def test_only_the_completion_is_learned(weights):
    network = from_weights(backbone(weights), 1, device="cpu")
    row = rows(2).filter("is_hallucinated").row(0, named=True)
    element = example_of(network.coder, row, 400)
    written = network.coder.tokenizer.decode(element.labels[element.labels >= 0].tolist())
    assert written.strip() == completion(row).strip() and 0 < element.n_targets < element.n_tokens
    other = example_of(network.coder, row | {"knowledge": "Nothing."}, 400)
    assert other.n_targets == element.n_targets
    # one target token: the loss is −ln of its probability behind the prompt alone
    first = type(element)(element.name, element.ids, element.labels.copy())
    first.labels[element.n_tokens - element.n_targets + 1 :] = -100
    n = element.n_tokens - element.n_targets
    with torch.inference_mode():
        logits = network.model(torch.from_numpy(element.ids[None, :n])).logits[0, -1]
        expected = -logits.log_softmax(0)[int(element.ids[n])]
    assert network.loss([first]).item() == pytest.approx(float(expected), abs=1e-4)
    apart = network.loss([element]).item() + network.loss([other]).item()
    assert network.loss([element, other]).item() == pytest.approx(apart, rel=1e-4)


def test_the_conversation_gives_way_first_then_the_knowledge_the_response_never(weights):
    coder = from_weights(backbone(weights), 1, device="cpu").coder

    def read(room, **changes):
        row = {"knowledge": "Ada. " * 20, "history": "Old. " * 30 + "New.", "question": "", "text": "Bo."}
        return prompt(coder, row | changes, room)

    def given(ids):
        text = coder.tokenizer.decode(ids.tolist())
        assert text.rstrip().endswith("Hallucinated?") and "Bo." in text
        return text.count("Old"), text.count("Ada"), "New." in text

    whole = read(2000)
    n_history = len(coder.encode(["Old. " * 30 + "New."])[0][0])
    assert given(whole) == (30, 20, True)
    n_old, n_ada, has_new = given(read(len(whole) - n_history // 2))
    assert 0 < n_old < 30 and n_ada == 20 and has_new
    n_old, n_ada, _ = given(read(len(whole) - n_history - 10))
    assert n_old == 0 and 0 < n_ada < 20
    assert read(len(whole) - n_history - 10, text="Bo. " * 400) is None


def test_a_judgement_quotes_its_segments():
    row = {
        "is_hallucinated": True,
        "text": "It is red.",
        "spans": [{"start": 6, "end": 9}],
        "rationale": None,
    }
    assert completion(row) == 'Yes. The segment "red" is hallucinated.\n'
    explained = row | {"rationale": 'The segment "red" is blue.'}
    assert completion(explained) == 'Yes. The segment "red" is blue.\n'
    assert completion(row | {"is_hallucinated": False}) == "No.\n"


def test_its_rows_are_judgements_with_p_of_the_first_token(weights, tmp_path):
    reference, asked = {"llama": backbone(weights)}, responses(3, start=500)
    names = {"User: ": "[Human]: ", "Assistant: ": "[Assistant]: "}  # as sources begin turns
    asked = asked.with_columns(pl.col("history").str.replace_many(names))
    folders = {"folder": tmp_path / "out", "scratch": tmp_path / "scratch"}
    fit_judges({"judge": HOW}, responses(10), reference, seeds=[42], **folders)
    answer = judge_texts({"judge": HOW}, asked, reference, folder=tmp_path / "out")
    validate(Judgement, answer, where="the judge")
    assert answer.height == asked.height and answer["p"].is_between(0, 1).all()
    given = {element["key"]: element["value"] for element in answer["attributes"][0]}
    assert given["composed"] == "no" and given["form"] == "causal"
    assert (answer["verdict"] == (answer["p"] > float(given["threshold"]))).all()

    # behind an address it says the same, and nothing that could be read of a response that fills its window
    (cell,) = (tmp_path / "out" / "judge").iterdir()
    judge, _ = network_judge(str(cell))
    for row in asked.join(answer.select("target_id", "verdict"), on="target_id").iter_rows(named=True):
        assert judge(question(row)) == ("Yes" if row["verdict"] else "No")
    long = question(asked.row(0, named=True), text="It is red. " * 200)
    assert judge(long) == "The response is too long to be judged."


def question(row: dict, **changed) -> Asked:
    """What a prompt of verdicts asks of a response."""
    row = row | changed
    conversation = f"{row['history']}\nUser: {row['question']}"
    for name, given in (("[Human]: ", "User: "), ("[Assistant]: ", "Assistant: ")):
        conversation = conversation.replace(name, given)
    return Asked(row["knowledge"], conversation, row["text"], wants_reason=False)


def test_a_response_that_fills_the_window_is_unparsed(weights):
    network = from_weights(backbone(weights), 1, device="cpu")
    asked = rows(2).with_columns(
        text=pl.when(pl.int_range(pl.len()) == 1).then(pl.lit("It is red. " * 200)).otherwise("text")
    )
    answer = judged_all(network, asked, Decision(), batch_tokens=4096)
    assert [element.reason for element in answer] == [None, TOO_LONG, None, None]
    assert judged_all(network, asked.head(0), Decision(), batch_tokens=1) == []


def outcome(element):
    places = [(span["start"], span["end"]) for span in element.spans]
    return element.verdict, element.rationale, places


def test_texts_that_are_read_together_are_judged_as_each_is_alone(weights):
    network, asked = from_weights(backbone(weights), 1, device="cpu").eval(), rows(6, start=300)
    with torch.no_grad():
        for value in network.parameters():
            value.mul_(6)  # so that what is written hangs on what is read
    network.ends = list(range(300, 320))  # and ends at places of its own
    many = "It is quiet there. " * 12
    asked = asked.with_columns(  # of very different lengths, in no order
        history=pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.lit(many)).otherwise("history")
    )
    alone, together, some = (
        judged_all(network, asked, Decision(threshold=0.0), batch_tokens=n) for n in (1, 10**9, 1500)
    )
    prompts = [prompt(network.coder, row, 240) for row in asked.iter_rows(named=True)]
    assert len({len(ids) for ids in prompts}) > 5
    for others in (together, some):
        moved = [abs(element.p - other.p) for element, other in zip(alone, others, strict=True)]
        assert max(moved) <= 1e-5
        assert list(map(outcome, others)) == list(map(outcome, alone))
    assert len({element.rationale for element in alone}) > 3
    assert len({round(element.p, 4) for element in alone}) > 3


@pytest.mark.parametrize("batch_tokens", [1, 1100, 10**9])
def test_reasons_are_written_of_those_above_the_threshold(weights, batch_tokens):
    network, asked = from_weights(backbone(weights), 1, device="cpu").eval(), rows(6, start=300)
    with torch.no_grad():
        for value in network.parameters():
            value.mul_(6)
    network.ends = list(range(300, 320))
    prompts = [None, *(prompt(network.coder, row, 240) for row in asked.iter_rows(named=True)), None]
    shares, _ = p_and_reasons(network, prompts, 1.0, batch_tokens)
    threshold = sorted(share for share in shares if share is not None)[4]
    p, reasons = p_and_reasons(network, prompts, threshold, batch_tokens)
    assert p == shares and p[0] is p[-1] is None
    flagged = [index for index, share in enumerate(p) if share is not None and share > threshold]
    assert sorted(reasons) == flagged and len(flagged) == len(asked) - 5
    assert all(reasons[index] == network.reasons([prompts[index]])[0] for index in flagged)
    assert len(set(reasons.values())) > 2


def test_a_batch_keeps_its_tokens_and_a_longer_text_stands_alone(weights, monkeypatch):
    network, asked = from_weights(backbone(weights), 1, device="cpu"), rows(6)
    shapes, whole = [], network.model.forward

    def forward(*args, **named):
        shapes.append(named["input_ids"].shape)
        return whole(*args, **named)

    monkeypatch.setattr(network.model, "forward", forward)
    lengths = sorted(len(prompt(network.coder, row, 240)) for row in asked.iter_rows(named=True))
    judged_all(network, asked, Decision(threshold=1.0), batch_tokens=3 * lengths[-1])
    assert len(shapes) == 4 and all(n * longest <= 3 * lengths[-1] for n, longest in shapes)
    assert shapes[0][1] == lengths[-1]  # the longest first: what does not fit ends at once
    shapes.clear()
    judged_all(network, asked, Decision(threshold=1.0), batch_tokens=1)
    assert sorted(longest for _, longest in shapes) == lengths


def test_a_line_ends_with_any_token_that_ends_it(weights):
    network = from_weights(backbone(weights), 1, device="cpu")
    coder, own_values = network.coder, network.model.generation_config.eos_token_id
    texts = {token: coder.tokenizer.decode([token], skip_special_tokens=False) for token in network.ends}
    assert set(coder.encode(["a\nb"])[0][0]) & set(network.ends)
    assert own_values in network.ends
    assert all("\n" in text for token, text in texts.items() if token != own_values)


def test_how_many_tokens_are_read_at_once_names_no_judge(weights, tmp_path):
    reference, folders = {"llama": backbone(weights)}, {"seeds": [42], "scratch": tmp_path}
    more = HOW.model_copy(update={"batch_tokens": 100})
    (element,), (other,) = (
        jobs_of({"judge": how}, responses(4), reference, **folders) for how in (HOW, more)
    )
    assert element.scratch == other.scratch


def test_it_learns_to_say_no(weights, tmp_path):
    reference = rows(10).with_columns(is_hallucinated=pl.lit(False))
    from truerate.detectors.training import engine

    network = from_weights(how := backbone(weights, max_steps=25, epochs=20), 1, device="cpu")
    ids = prompt(network.coder, reference.row(0, named=True), 240)
    (before,) = network.p([ids])
    trained = engine.train(network, judging_task(network, reference, reference), how, seed=1, folder=tmp_path)
    network.eval()
    assert network.p([ids])[0] < before / 1.5
    assert trained.run["loss_last"] < trained.run["loss_first"]
    network.save(tmp_path / "kept")
    repeated = load(tmp_path / "kept", device="cpu")
    assert repeated.p([ids]) == network.p([ids]) and repeated.reasons([ids]) == network.reasons([ids])


LORA = {"lora": {"r": 4, "alpha": 8, "dropout": 0.05}, "max_steps": 12}


def given(folder: Path, weights: str) -> pl.DataFrame:
    """What a judge says of others that learned by adapters through the whole family."""
    reference = {"llama": backbone(weights, **LORA)}
    folders = {"folder": folder / "out", "scratch": folder / "scratch"}
    fit_judges({"judge": HOW}, responses(8), reference, seeds=[42], **folders)
    return judge_texts({"judge": HOW}, responses(2, start=500), reference, folder=folder / "out")


@pytest.fixture(scope="module")
def by_adapters(weights, tmp_path_factory):
    """A folder in which a judge learned by adapters, and what it says."""
    pytest.importorskip("peft", reason="adapters need peft")
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("lora")
    return folder, given(folder, weights)


def test_with_adapters_they_alone_learn_and_are_kept(weights, by_adapters):
    folder, answer = by_adapters
    (kept,) = (folder / "out").rglob("model.safetensors")
    state = load_file(kept)
    assert state and all("lora_" in name for name in state)
    assert any(bool(value.any()) for name, value in state.items() if "lora_B" in name)  # which begin at 0
    assert not list(kept.parent.glob("config.json"))  # the backbone is named, not copied
    network, whole = load(kept.parent, device="cpu"), from_weights(backbone(weights), 1, device="cpu")
    frozen = {name: value for name, value in network.named_parameters() if not value.requires_grad}
    own_values = dict(whole.named_parameters())
    assert len(frozen) == len(own_values)
    assert all(
        torch.equal(value, own_values[name.replace(".base_layer", "")]) for name, value in frozen.items()
    )
    assert answer["p"].is_between(0, 1).all() and set(answer["status"]) == {"ok"}


def test_four_bits_without_a_gpu_are_refused_in_one_line(weights, tmp_path):
    for index in (weights, "org/that-nobody-has"):  # before anything is fetched
        reference = {"llama": backbone(index, quantise="4bit", lora=LORA["lora"])}
        with pytest.raises(
            TruerateError, match="4bit needs bitsandbytes and a CUDA device, and here is cpu"
        ) as error:
            from_weights(reference["llama"], 1, device="cpu")
        assert "\n" not in str(error.value)


def test_settings_that_do_not_suit_it_are_one_line(weights):
    with pytest.raises(TruerateError, match="mask: causal"):
        check_judge("judge", HOW, {"llama": backbone(weights, mask="prefix")})
    check_judge("judge", HOW, {"llama": backbone(weights)})
    with pytest.raises(TruerateError, match="lower its max_tokens"):
        from_weights(backbone(weights, max_tokens=4096), 1, device="cpu")


SCRIPT = """
    import sys
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    import torch
    torch.set_num_threads(1)
    from detectors.judges import test_causal
    test_causal.{what}(Path({folder!r}), {weights!r})
"""


def killed(what: str, folder: Path, weights: str) -> None:
    """Run a function of this module in a process that is killed as soon as there is a checkpoint."""
    code = textwrap.dedent(SCRIPT.format(tests=str(TESTS), what=what, folder=str(folder), weights=weights))
    cut = subprocess.Popen([sys.executable, "-c", code])
    while not list(folder.rglob(CHECKPOINT)) and cut.poll() is None:
        time.sleep(0.005)
    os.kill(cut.pid, signal.SIGKILL)
    assert cut.wait() == -signal.SIGKILL


def state(folder: Path, weights: str) -> dict:
    """The weights that a run of 24 steps gives."""
    from truerate.detectors.training import engine

    network = from_weights(how := backbone(weights, max_steps=24, epochs=20), 1, device="cpu")
    engine.train(network, judging_task(network, rows(6), rows(2, start=90)), how, seed=1, folder=folder)
    return network.trainable_state()


@pytest.mark.proof
def test_a_killed_training_goes_on_to_the_same_weights(weights, tmp_path):
    whole = state(tmp_path / "whole", weights)
    killed("state", tmp_path / "cut", weights)
    repeated = state(tmp_path / "cut", weights)
    assert all(torch.equal(whole[name], repeated[name]) for name in whole)


@pytest.mark.proof
def test_a_judge_with_adapters_says_the_same_after_a_kill(weights, by_adapters, tmp_path):
    killed("given", tmp_path, weights)
    assert not (tmp_path / "out").exists()
    assert given(tmp_path, weights).equals(by_adapters[1])
