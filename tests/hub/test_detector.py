import hashlib
import json
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
import yaml
from huggingface_hub import ModelCard
from markdown_it import MarkdownIt
from transformers import AutoTokenizer

from tests.detectors.tokens import small_networks as small
from tests.hub.detectors_made import CARD, TRAINING, facts_of, scores
from tests.hub.drafts import laid
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.pretrained import DetectorConfig, TokenDetector
from truerate.hub.detector import NETWORK_TYPE as MODEL_TYPE
from truerate.hub.detector import detector_draft as draft_of
from truerate.hub.detector import published_backbone, refuse_training
from truerate.hub.kept import Kept, digest_of
from truerate.hub.licences import Licence
from truerate.hub.model_card import percent, words
from truerate.hub.release import Stamp, checksums

torch.set_num_threads(1)
MEASURED = scores(
    [
        ("small", "token_precision", "natural", "de", (0.25, 0.2, 0.3)),
        ("small", "token_recall", "natural", "de", (0.5, 0.4, 0.6)),
        ("small", "token_f1", "natural", "de", (0.3333, 0.3, 0.4)),
        ("small", "token_f1", "natural", "en", None),
        ("small", "token_f1", "natural", "fr", (0.9, 0.8, 1.0)),
        ("small", "token_f1", "natural", "all", (0.4, 0.3, 0.5)),
        ("small", "token_f1", "held-out", "de", (0.8, 0.7, 0.9)),
        ("small", "token_f1_std", "natural", "de", 0.01),
        ("mark-all", "token_f1", "natural", "de", (0.2, 0.1, 0.3)),
        ("token-lr", "token_f1", "natural", "de", (0.28, 0.2, 0.35)),
        ("other", "token_f1", "natural", "de", (0.77, 0.7, 0.8)),
    ]
)


def released(tmp_path, network=None, **changed):
    """A folder as a download of the release of a small detector has it."""
    draft = draft_of(facts_of(network or small.network(), tmp_path / "trained", **changed), repo="org/small")
    return laid(
        draft.files(stamp=Stamp("2026-11-22"), changelog="# 2026-11-22\n", kept=Kept()), tmp_path / "release"
    )


def card(tmp_path, **changed):
    return ModelCard.load(released(tmp_path, **changed) / "README.md")


def test_the_threshold_that_training_chose_goes_out_with_the_weights(tmp_path):
    training = TRAINING | {"validation": TRAINING["validation"] | {"threshold": 0.285}}
    folder = released(tmp_path, training=training)
    assert json.loads((folder / "network.json").read_text())["threshold"] == 0.285
    assert TokenDetector.from_pretrained(folder).threshold == 0.285
    assert "what lies above 0.285 counts as marked" in (folder / "README.md").read_text()


# ---- files -------------------------------------------------------------------------------------------------
def test_the_files_of_a_release(tmp_path):
    folder = released(tmp_path)
    results = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    ours = {"README.md", "CHANGELOG.md", "SHA256SUMS", "truerate.json", "build/params.yaml", "build/dvc.lock"}
    network = {
        "config.json", "network.json", "coder.json", "tokenizer.json", "tokenizer_config.json",
        "model.safetensors",
    }  # fmt: skip
    assert results == ours | network
    assert json.loads((folder / "truerate.json").read_text()) == {
        "kind": "model",
        "name": "small",
        "prefixes": ["build/"],
        "dated": "2026-11-22",
        "maker": "",
        "card": digest_of((folder / "README.md").read_text("utf-8")),
        "tool": "truerate",
    }
    for name in (
        "coder.json",
        "tokenizer.json",
        "model.safetensors",
        "network.json",
    ):  # as training wrote them
        assert (folder / name).read_bytes() == (tmp_path / "trained" / name).read_bytes()


def test_checksums_cover_all_but_themselves_and_the_history(tmp_path):
    folder = released(tmp_path)
    listed = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    assert listed.keys() == files.keys() - {"SHA256SUMS", "CHANGELOG.md"} and list(listed) == sorted(listed)
    assert all(hashlib.sha256(files[path]).hexdigest() == entry for path, entry in listed.items())
    assert checksums({}) == ""


def test_the_same_facts_give_the_same_bytes(tmp_path):
    draft = draft_of(facts_of(small.network(), tmp_path, scores=MEASURED), repo="org/small")
    stamp = Stamp("2026-11-22")
    first, second = (draft.files(stamp=stamp, changelog="", kept=Kept()) for _ in range(2))
    assert first == second
    assert "small" in draft.summary and "\n" not in draft.summary


# ---- loading -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", list(small.CONFIGS))
def test_a_release_loads_with_the_same_logits(tmp_path, kind):
    network = small.network(kind)
    detector = TokenDetector.from_pretrained(released(tmp_path, network))
    before = TokenDetector(network).logits(small.ANSWERS, small.REFERENCE)
    after = detector.logits(small.ANSWERS, small.REFERENCE)
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert detector.mark(small.ANSWERS[0], small.REFERENCE) == TokenDetector(network).mark(
        small.ANSWERS[0], small.REFERENCE
    )
    assert MODEL_TYPE == DetectorConfig.model_type


def test_transformers_alone_refuses_the_weights_and_reads_the_tokenizer(tmp_path):
    texts = [*small.ANSWERS, "<pad> <start> [CLS] <0x41>", "  مرحبا ١٢٣\n\n\tşğıİ", "देवनागरी", ""]
    code = (
        "import sys, json; from transformers import AutoModel, AutoTokenizer\n"
        "ids = [AutoTokenizer.from_pretrained(sys.argv[1])(text)['input_ids'] for text in json.loads(sys.argv[2])]\n"
        "try: AutoModel.from_pretrained(sys.argv[1])\n"
        "except ValueError as error: print(json.dumps([ids, str(error)]))\n"
    )
    words = [sys.executable, "-c", code, str(released(tmp_path)), json.dumps(texts)]
    ids, message = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert ids == [results.tolist() for results, _ in small.coder().encode(texts)]
    assert MODEL_TYPE in message


def test_a_tokenizer_with_special_tokens_gives_the_ids_that_are_read(tmp_path):
    """As of a BERT: [CLS] and [SEP] around a text unless told otherwise."""
    from tokenizers.processors import TemplateProcessing

    code = small.coder()
    code.tokenizer.post_processor = TemplateProcessing(
        single="<start> $A <between>", special_tokens=[("<start>", 1), ("<between>", 2)]
    )
    folder = released(tmp_path, small.network("bert", "full", code))
    loaded = AutoTokenizer.from_pretrained(folder)
    for text, (ids, _) in zip(small.ANSWERS, code.encode(small.ANSWERS), strict=True):
        assert (
            loaded(text, add_special_tokens=False)["input_ids"] == ids.tolist() != loaded(text)["input_ids"]
        )
    assert loaded.pad_token_id == code.pad


# ---- the card ----------------------------------------------------------------------------------------------
def test_the_yaml_names_licence_languages_and_the_measured(tmp_path):
    results = card(tmp_path, scores=MEASURED)
    data = results.data.to_dict()
    assert (
        data["license"] == "cc-by-sa-4.0"
        and data["language"] == ["de", "en"]
        and data["library_name"] == "truerate"
    )
    assert data["pipeline_tag"] == "token-classification" and "simulated-data" not in data["tags"]
    measured = {
        (entry.dataset_config, entry.metric_type): entry.metric_value for entry in results.data.eval_results
    }
    assert measured == {
        ("natural-de", "precision"): 0.25,
        ("natural-de", "recall"): 0.5,
        ("natural-de", "f1"): 0.3333,
        ("natural-all", "f1"): 0.4,
        ("held-out-de", "f1"): 0.8,
    }


def test_norwegian_is_a_language_and_not_false(tmp_path):
    folder = released(tmp_path, languages=("no",))
    assert yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])["language"] == ["no"]


def test_the_table_shows_intervals_and_what_needs_no_network_beside(tmp_path):
    text = card(tmp_path, scores=MEASURED).text
    assert (
        "| de | 20 | 25.0 (20.0–30.0) | 50.0 (40.0–60.0) | 33.3 (30.0–40.0) | 20.0 (10.0–30.0) | 28.0 (20.0–35.0) |"
        in text
    )
    assert (
        "| en | 20 | – | – | – | – | – |" in text
        and "| mean over languages | 20 | – | – | 40.0 (30.0–50.0) | – | – |" in text
    )
    assert text.index("### Natural") < text.index("### Inserted hallucinations, held out")
    assert (
        "77.0" not in text and "| fr |" not in text
    )  # another detector's, and a language that it was not trained in
    assert "means over 20 networks" in text  # the n of its deviations: here all rows have one


def test_a_card_of_nothing_measured_says_so(tmp_path):
    results = card(tmp_path)
    assert "Nothing was measured." in results.text and "model-index" not in results.content


def test_the_card_says_how_it_was_trained_and_on_what(tmp_path):
    training = TRAINING | {"passages": {"de": 4, "en": 5}}
    text = card(tmp_path, training=training, is_simulated=True).text
    for message in (
        "Towns of nowhere.",
        "| `mask` | prefix |",
        "| `learning_rate` | 0.001 |",
        "| seed | 42 |",
        "| validation `f1` | 0.5 |",
    ):
        assert message in text
    assert "de 4, en 5" in text and "closed world" in text and 'from_pretrained("org/small")' in text
    assert "CC BY-SA 4.0, because" in text


def test_a_licence_that_the_hub_does_not_know_is_named(tmp_path):
    data = card(tmp_path, licence=Licence("other", "open-words", "https://example.org/words")).data
    assert (data.license, data.license_name, data.license_link) == (
        "other",
        "open-words",
        "https://example.org/words",
    )


def test_training_data_of_the_hub_are_named_in_the_yaml(tmp_path):
    source = CARD | {"url": "https://huggingface.co/datasets/org/towns"}
    assert card(tmp_path, source=source).data.datasets == ["org/towns"]


def test_nothing_in_the_data_acts_in_the_card(tmp_path):
    bad = "x](http://evil) <script>alert(1)</script>\n---\nlicense: mit\n# head | cell ![a](b) {{ 1 + 1 }} `code` www.evil.com\u202e"
    results = card(tmp_path, source=CARD | {"citation": bad, "licence": bad}, title=bad, scores=MEASURED)
    assert results.data.license == "cc-by-sa-4.0" and results.data.eval_results[0].dataset_name.startswith(
        "x](http://evil) <script>"
    )
    shown = MarkdownIt("commonmark").enable("table").render(results.text)
    assert not [tag for tag in ("<script", "<a ", "<img", "evil</", "<h1>head", "\u202e") if tag in shown]
    assert (
        shown.count("<h1>") == 1 and "| cell ![a](b) {{ 1 + 1 }} `code` www.evil.com" in shown
    )  # in a table, too


def test_words_of_lists_and_mappings():
    assert (words(["a", "b"]), words({"r": 4, "alpha": 8}), words([]), words(0.5)) == (
        "a, b",
        "r 4, alpha 8",
        "",
        0.5,
    )


def test_percent_of_nothing_is_a_dash():
    assert percent(None) == percent({"value": None, "low": None, "high": None}) == "–"
    assert percent({"value": 0.5, "low": None, "high": None}) == "50.0"


def test_one_language_shows_that_language_alone(tmp_path):
    mono = {"scope": "multi", "labels": "category", "seed": 42, "lang": "de"}
    results = card(tmp_path, settings=mono, scores=MEASURED)
    assert (
        results.data.language == ["de"]
        and "mean over languages" not in results.text
        and "| en |" not in results.text
    )


# ---- what does not go out ----------------------------------------------------------------------------------
@pytest.mark.parametrize("allowed", ["no", "ids-only", None])
def test_weights_learned_from_closed_texts_stay(tmp_path, allowed):
    source = {name: value for name, value in CARD.items() if name != "redistribution"} | (
        {"redistribution": allowed} if allowed else {}
    )
    with pytest.raises(TruerateError, match="towns.*redistribution is"):
        draft_of(facts_of(small.network(), tmp_path, source=source), repo="org/small")
    refuse_training(CARD, what="here")


def test_what_has_no_network_or_learned_nothing_or_has_no_licence_stays(tmp_path):
    facts = facts_of(small.network(), tmp_path)
    with pytest.raises(TruerateError, match="nothing to learn from"):
        draft_of(replace(facts, training={"is_fitted": False}), repo="org/small")
    for licence, why in {"not stated": "is not known", "CC BY-ND 4.0": "no derivatives"}.items():
        with pytest.raises(TruerateError, match=why):
            draft_of(replace(facts, source=CARD | {"licence": licence}), repo="org/small")
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(TruerateError, match=r"no model\.safetensors in its folder; only trained networks"):
        draft_of(facts, repo="org/small")


def test_a_backbone_that_others_cannot_fetch(tmp_path):
    pinned = {"weights": "org/body", "lora": {"r": 4}, "revision": "a" * 40}
    assert published_backbone(pinned, what="here") == pinned
    with pytest.raises(TruerateError, match="set its `revision`"):
        published_backbone(pinned | {"revision": None}, what="here")
    for weights in (str(tmp_path / "body"), "./body", "~/body", "a/b/c"):
        with pytest.raises(TruerateError, match="train on one of the Hub"):
            published_backbone(pinned | {"weights": weights}, what="here")


def test_a_backbone_folder_whose_weights_are_all_here_keeps_its_name_alone(tmp_path):
    network = small.network("bert", "full")
    network.backbone = small.backbone(mask="full", weights=str(tmp_path / "somebody" / "body"))
    folder = released(tmp_path, network)
    assert json.loads((folder / "network.json").read_text())["backbone"]["weights"] == "body"
    assert not [
        path for path in folder.rglob("*") if path.is_file() and str(tmp_path).encode() in path.read_bytes()
    ]
    assert ModelCard.load(folder / "README.md").data.base_model is None
    TokenDetector.from_pretrained(folder)
