"""A translation model's weights in the place of an endpoint: a tiny random one, saved as safetensors."""

import pytest
import torch

from truerate.core.errors import SettingsError, TruerateError
from truerate.tracks.mfava import translating
from truerate.tracks.mfava.translating import Text

WORDS = ["<s>", "<pad>", "</s>", "<unk>", "eng_Latn", "deu_Latn", "fra_Latn", *(f"w{k}" for k in range(40))]


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """An M2M100-like model of a few thousand parameters with NLLB's language codes, and a tokenizer of words."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import M2M100Config, M2M100ForConditionalGeneration, PreTrainedTokenizerFast

    torch.set_num_threads(1)
    torch.manual_seed(3)
    folder = tmp_path_factory.mktemp("weights") / "tiny-nllb"
    plain = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    plain.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    marks = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=plain, **marks).save_pretrained(folder)
    sizes = {"layers": 1, "ffn_dim": 16, "attention_heads": 2}
    shape = {f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in sizes.items()}
    config = M2M100Config(vocab_size=len(WORDS), d_model=16, max_position_embeddings=32, **shape)
    model = M2M100ForConditionalGeneration(config)
    model.generation_config.eos_token_id = [2, *range(7, len(WORDS), 2)]  # random weights would hardly stop
    model.save_pretrained(folder, safe_serialization=True)
    return str(folder)


def replies(weights: str, *texts: str, lang: str = "de", n: int = 12, **how):
    return translating.replies_of_weights(
        [translating.weights_request(text, lang, weights, n) for text in texts], weights, **how
    )


def test_replies_come_in_order_and_do_not_depend_on_the_batch(weights):
    asked = [("w1 w2 w3", "de"), ("w7", "de"), ("w1 w2 w3 w4 w5 w6 w7 w8 w9", "de"), ("w1 w2 w3", "fr")]
    requests = [translating.weights_request(*request_of, weights, 12) for request_of in asked]
    whole = translating.replies_of_weights(requests, weights, batch=3)
    alone = [translating.replies_of_weights([request], weights)[0] for request in requests]
    assert [(reply.key, reply.text) for reply in whole] == [(reply.key, reply.text) for reply in alone]
    assert len({reply.key for reply in whole}) == 4 and translating.replies_of_weights([], "nowhere") == []


def test_rows_name_the_weights_by_their_name_and_drop_what_lost_its_tags(weights):
    text = Text("i", "train", "translate", "de", "<entity>w1</entity> w2", ("entity",), "t")
    prompted = text.prompted(translating.weights_request(text.marked, text.lang, weights, 12))
    row = translating.collect(
        [text], [prompted], translating.replies_of_weights([prompted.request], weights)
    )[0]
    assert row["model"] == "tiny-nllb"
    assert (row["status"], row["reason"]) in (("unparsed", "tag-count"), ("dead", "empty"))
    params = '{"max_tokens": 12, "num_beams": 1, "source": "en", "target": "de", "unit": "sentence"}'
    assert row["params"] == params


@pytest.mark.parametrize(
    ("text", "n", "reason"),
    [("w1 " * 40, 12, "context_length"), ("w1 w2", 1, "length")],  # of one token that of the language alone
)
def test_a_text_beyond_the_window_or_without_an_end_is_dead_and_not_cut(weights, text, n, reason):
    (reply,) = replies(weights, text, n=n)
    assert (reply.status, reply.reason, reply.text) == ("dead", reason, "")


def test_languages_are_named_as_the_vocabulary_names_them():
    class Known:
        def __init__(self, *words):
            self.get_vocab = lambda: {word: index for index, word in enumerate(words)}

    vocabularies = {"deu_Latn": "deu_Latn", "__de__": "de", "de_DE": "de_DE", "der": None}
    assert {word: translating.code_of(Known("en_XX", word), "de") for word in vocabularies} == vocabularies
    madlad = Known("<2en>", "<2la>", "<2iw>")
    assert [translating.prefix_of(madlad, lang) for lang in ("la", "he", "yue")] == ["<2la> ", "<2iw> ", ""]
    translating.check_language(madlad, "la", "w")
    translating.check_language(Known("der"), "la", "w")  # a model of one pair needs no name
    with pytest.raises(SettingsError, match="has no name for Cantonese"):
        translating.check_language(madlad, "yue", "w")


def test_a_text_goes_sentence_by_sentence_and_its_breaks_stay(weights):
    first, second = (reply.text for reply in replies(weights, "w1 w3 .", "W5 w7 ."))
    assert replies(weights, "w1 w3 . W5 w7 .\n\nw1 w3 .")[0].text == f"{first} {second}\n\n{first}"
    long = " ".join(f"W{k} w1 w2 w3 ." for k in range(9))  # 45 words, of which the window holds 32
    assert replies(weights, long)[0].reason != "context_length"


@pytest.mark.parametrize(
    ("marked", "sentences"),
    [
        ("Ada ran. Cats slept.\nEnd.", ["Ada ran.", "Cats slept.", "End."]),
        ("Ada <entity>ran. Cats</entity> slept. End.", ["Ada <entity>ran. Cats</entity> slept.", "End."]),
        ("<invented>First. Second.</invented> Third.", ["<invented>First. Second.</invented>", "Third."]),
        ("Ada < Bob. Cats.", ["Ada < Bob.", "Cats."]),
        ("At first. <entity>Bob.", ["At first.", "<entity>Bob."]),
        ("  ", []),
    ],
)
def test_no_tag_is_cut_between_two_sentences(marked, sentences):
    cut = translating.units(marked)
    assert [unit.text for unit in cut] == sentences
    assert " ".join(translating.joined(sentences, cut).split()) == " ".join(marked.split())


def test_a_language_weights_or_a_device_that_is_not_there_is_refused_in_one_line(weights, tmp_path):
    missing = str(tmp_path / "none")
    cases = [
        (weights, {"lang": "la"}, r"has no name for Latin \('la'\) in its vocabulary; take 'la' out"),
        (missing, {}, "^tracks.mfava.seq2seq: no translation model"),
    ]
    if not torch.cuda.is_available():
        assert translating.device_of("auto") == translating.device_of("cpu") == "cpu"
        cases.append((weights, {"device": "cuda"}, "tracks.mfava.seq2seq_device: no GPU is there for 'cuda'"))
    for folder, how, line in cases:
        with pytest.raises(TruerateError, match=line) as error:
            replies(folder, "w1", **how)
        assert "\n" not in str(error.value)
