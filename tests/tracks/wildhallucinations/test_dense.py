"""Passages by an encoder whose vectors are written by hand: `feline` means what `cat` does, and shares no word with
it.
"""

import numpy as np
import pytest

from truerate.core.errors import TruerateError
from truerate.tracks.wildhallucinations.dense import Encoder, Retriever
from truerate.tracks.wildhallucinations.passages import ranked

WORDS = ["[PAD]", "[UNK]", "cat", "feline", "river", "stone"]
PAGES = [("a", "feline"), ("b", "river"), ("c", "stone")]


def tokenizer_into(folder) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    plain = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    plain.normalizer, plain.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    marks = {"unk_token": "[UNK]", "pad_token": "[PAD]", "model_max_length": 16}
    PreTrainedTokenizerFast(tokenizer_object=plain, **marks).save_pretrained(folder)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> str:
    """A BERT without layers: a text's vector is the mean of its words' embeddings, each normalised."""
    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("encoder")
    tokenizer_into(folder)
    size = {"hidden_size": 4, "num_hidden_layers": 0, "num_attention_heads": 1, "intermediate_size": 4}
    network = BertModel(BertConfig(vocab_size=len(WORDS), max_position_embeddings=16, **size))
    with torch.no_grad():
        for part in network.embeddings.parameters():
            part.zero_()
        network.embeddings.LayerNorm.weight.fill_(1)
        rows = torch.eye(4)[[3, 3, 0, 0, 1, 2]]  # cat and feline are one
        network.embeddings.word_embeddings.weight.copy_(rows)
    network.save_pretrained(folder)
    return str(folder)


def found(query: str, method: str, encoder: str, folder=None, k: int = 2) -> list[str]:
    (best,) = ranked(PAGES, [query], k, n_words=9, retriever=Retriever(method, encoder, folder))
    return [passage.document_id for passage in best]


def test_a_passage_in_other_words_is_found_by_its_meaning(encoder):
    assert found("a cat", "bm25", encoder) == []
    assert found("cat", "dense", encoder) == ["a", "b"]  # cosine 1, then equal ones in their order


def test_hybrid_is_the_sum_of_reciprocal_ranks(encoder):
    # dense: a and b are equally near, so a, b, c; BM25: b alone. a 1/61, b 1/62 + 1/61, c 1/63
    assert found("cat river", "dense", encoder, k=3) == ["a", "b", "c"]
    assert found("cat river", "hybrid", encoder, k=3) == ["b", "a", "c"]
    assert found("cat river", "bm25", encoder, k=3) == ["b"]


def test_vectors_of_passages_are_kept_by_their_texts(encoder, tmp_path):
    retriever = Retriever("dense", encoder, tmp_path / "kept")
    texts = [text for _, text in PAGES]
    first = retriever.cosines(["cat"], texts)
    # after the layer norm, words of different directions have cosine (4·0 − 1) / (4 − 1) = −1/3
    assert first[0] == pytest.approx([1, -1 / 3, -1 / 3], abs=1e-3)
    (path,) = (tmp_path / "kept").glob("*.npy")
    assert np.array_equal(retriever.cosines(["cat"], texts), first)
    np.save(path, np.load(path)[::-1])  # what is kept is read
    assert retriever.cosines(["cat"], texts)[0, 2] == pytest.approx(1, abs=1e-3)
    retriever.cosines(["cat"], texts[:2])
    assert len([*(tmp_path / "kept").glob("*.npy")]) == 2
    assert retriever.cosines([], texts).shape == (0, 3) and retriever.cosines(["cat"], []).shape == (1, 0)


def test_of_a_t5_the_encoder_is_read_with_the_layer_behind_it(tmp_path):
    import torch
    from safetensors.torch import save_file
    from transformers import T5Config, T5EncoderModel

    tokenizer_into(tmp_path)
    size = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    T5EncoderModel(T5Config(vocab_size=len(WORDS), **size)).save_pretrained(tmp_path)
    assert Encoder(str(tmp_path)).vectors(["cat river", "stone"]).shape == (2, 8)
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense/config.json").write_text("{}")
    with pytest.raises(TruerateError, match="its layer 2_Dense has no safetensors weights"):
        Encoder(str(tmp_path))
    save_file({"linear.weight": torch.eye(3, 8)}, tmp_path / "2_Dense/model.safetensors")
    vectors = Encoder(str(tmp_path)).vectors(["cat river", "stone", "cat"])
    assert vectors.shape == (3, 3) and np.allclose(np.linalg.norm(vectors, axis=1), 1)
    alone = Encoder(str(tmp_path)).vectors(["stone"])
    assert np.allclose(vectors[1], alone[0], atol=1e-5)  # padding is no part of a text


def test_weights_that_are_not_there_are_one_line(tmp_path):
    with pytest.raises(
        TruerateError, match="verification.encoder: no encoder .* name a Hub id or a folder"
    ) as error:
        Encoder(str(tmp_path))
    assert "\n" not in str(error.value)
