"""A translation model's weights in the place of an endpoint: a tiny random one, saved as safetensors."""

import pytest
import torch

from truerate.core.errors import SettingsError, TruerateError
from truerate.tracks.mfava import context, translating
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
    ids = {word: place for place, word in enumerate(WORDS)}
    plain = Tokenizer(models.WordLevel(ids, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    plain.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    marks = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=plain, **marks).save_pretrained(folder)
    small = {"encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    config = M2M100Config(vocab_size=len(WORDS), d_model=16, max_position_embeddings=32, **small, **heads)
    model = M2M100ForConditionalGeneration(config)
    model.generation_config.eos_token_id = [
        2,
        *range(7, len(WORDS), 2),
    ]  # random weights would hardly come to an end
    model.save_pretrained(folder, safe_serialization=True)
    return str(folder)


def asked(weights: str, *texts: str, lang: str = "de"):
    return [translating.request(Text("i", "train", "translate", lang, text), weights, 12) for text in texts]


def test_replies_come_in_order_and_do_not_depend_on_the_batch(weights):
    requests = asked(weights, "w1 w2 w3", "w7", "w1 w2 w3 w4 w5 w6 w7 w8 w9") + asked(
        weights, "w1 w2 w3", lang="fr"
    )
    whole = translating.translated(requests, weights, batch=3)
    assert [reply.key for reply in whole] == [
        translating.translated([one], weights)[0].key for one in requests
    ]
    assert [reply.text for reply in whole] == [
        translating.translated([one], weights)[0].text for one in requests
    ]
    assert len({reply.key for reply in whole}) == 4 and translating.translated([], "nowhere") == []


def test_rows_name_the_weights_by_their_name_and_drop_what_lost_its_tags(weights):
    text = Text("i", "train", "translate", "de", "<entity>w1</entity> w2", ("entity",), "t")
    prompted = translating.prompted(text, translating.request(text, weights, 12))
    row = translating.collect([text], [prompted], translating.translated([prompted.request], weights))[0]
    assert row["model"] == "tiny-nllb" and (row["status"], row["reason"]) in (
        ("unparsed", "tag-count"),
        ("dead", "empty"),
    )
    assert (
        row["params"]
        == '{"max_tokens": 12, "num_beams": 1, "source": "en", "target": "de", "unit": "sentence"}'
    )


def test_a_text_beyond_the_window_is_dead_and_not_cut(weights):
    reply = translating.translated(asked(weights, "w1 " * 40), weights)[0]
    assert (reply.status, reply.reason, reply.text) == ("dead", "context_length", "")


def test_a_translation_that_came_to_no_end_is_dead_and_not_kept_as_a_whole_one(weights):
    request = translating.request(
        Text("i", "train", "translate", "de", "w1 w2"), weights, 1
    )  # room for the token of the language alone
    reply = translating.translated([request], weights)[0]
    assert (reply.status, reply.reason, reply.text) == ("dead", "length", "")


def test_languages_are_named_as_the_vocabulary_names_them():
    class Known:
        def __init__(self, *words):
            self.words = {word: place for place, word in enumerate(words)}

        def get_vocab(self):
            return self.words

    codes = {
        "nllb": Known("deu_Latn"),
        "m2m": Known("__de__"),
        "mbart": Known("en_XX", "de_DE"),
        "one pair": Known("der"),
    }
    assert {name: translating._code(known, "de") for name, known in codes.items()} == {
        "nllb": "deu_Latn",
        "m2m": "de",
        "mbart": "de_DE",
        "one pair": None,
    }
    madlad = Known("<2en>", "<2la>", "<2iw>")
    assert [translating._before(madlad, lang) for lang in ("la", "he", "yue")] == ["<2la> ", "<2iw> ", ""]
    translating.check_language(madlad, "la", "w")
    translating.check_language(codes["one pair"], "la", "w")  # it needs no name
    with pytest.raises(SettingsError, match="has no name for Cantonese"):
        translating.check_language(madlad, "yue", "w")
    assert translating._token(codes["m2m"], "de") == 0 and translating._token(codes["one pair"], None) is None


def test_a_text_goes_sentence_by_sentence_and_its_breaks_stay(weights):
    def said(*texts):
        return [reply.text for reply in translating.translated(asked(weights, *texts), weights)]

    one, other = said("w1 w3 .", "W5 w7 .")
    assert said("w1 w3 . W5 w7 .\n\nw1 w3 .") == [f"{one} {other}\n\n{one}"]
    long = " ".join(f"W{k} w1 w2 w3 ." for k in range(9))  # 45 words, of which the window holds 32
    reply = translating.translated(asked(weights, long), weights)[0]
    assert (reply.status, reply.reason) != ("dead", "context_length")


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        ("Ada ran. Cats slept.\nEnd.", ["Ada ran.", "Cats slept.", "End."]),
        ("Ada <entity>ran. Cats</entity> slept. End.", ["Ada <entity>ran. Cats</entity> slept.", "End."]),
        ("<invented>First. Second.</invented> Third.", ["<invented>First. Second.</invented>", "Third."]),
        ("Ada < Bob. Cats.", ["Ada < Bob.", "Cats."]),
        ("At first. <entity>Bob.", ["At first.", "<entity>Bob."]),
        ("  ", []),
    ],
)
def test_no_tag_is_cut_between_two_sentences(marked, found):
    cut = context.units(marked)
    assert [unit.text for unit in cut] == found
    same = context.joined([unit.text for unit in cut], cut)
    assert " ".join(same.split()) == " ".join(marked.split())


def test_a_language_without_a_name_in_the_vocabulary_is_refused_in_one_line(weights):
    with pytest.raises(
        SettingsError, match=r"has no name for Latin \('la'\) in its vocabulary; take 'la' out"
    ) as error:
        translating.translated(asked(weights, "w1", lang="la"), weights)
    assert "\n" not in str(error.value)


def test_a_device_that_is_not_there_is_refused(weights):
    if torch.cuda.is_available():
        pytest.skip("a GPU is there")
    assert translating.device_of("auto") == translating.device_of("cpu") == "cpu"
    with pytest.raises(SettingsError, match="tracks.mfava.seq2seq_device: no GPU is there for 'cuda'"):
        translating.translated(asked(weights, "w1"), weights, device="cuda")


def test_weights_that_are_not_there_are_one_clear_line(tmp_path):
    with pytest.raises(TruerateError) as caught:
        translating.translated(asked(str(tmp_path / "none"), "w1"), str(tmp_path / "none"))
    assert "tracks.mfava.seq2seq: no translation model" in str(caught.value) and "\n" not in str(caught.value)
