"""What transformers loads: whole, without chatter, or one line."""

import pytest
import torch
from tokenizers import Tokenizer, models
from transformers import (
    AutoModelForCausalLM,
    BertConfig,
    LlamaConfig,
    LlamaModel,
    PreTrainedTokenizerFast,
    T5Config,
)
from transformers.utils import logging

from truerate.core.pretrained import load_network, load_tokenizer, quiet

SIZE = {
    "hidden_size": 16,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "vocab_size": 40,
}


def test_a_tokenizer_comes_with_its_vocabulary(tmp_path):
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "town": 1, "river": 2}, unk_token="[UNK]"))
    PreTrainedTokenizerFast(tokenizer_object=made, unk_token="[UNK]").save_pretrained(tmp_path)
    assert load_tokenizer(str(tmp_path)).get_vocab() == {"[UNK]": 0, "town": 1, "river": 2}


@pytest.mark.parametrize("config", [BertConfig(), T5Config()], ids=lambda one: one.model_type)
def test_an_empty_vocabulary_is_refused(config, tmp_path):
    """transformers makes one where only config.json is there: five special tokens, or those and the mark of a
    blank.
    """
    config.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="no vocabulary is there"):
        load_tokenizer(str(tmp_path))


def test_what_is_not_there_is_one_line(tmp_path):
    for found in (
        lambda: load_tokenizer(str(tmp_path / "no")),
        lambda: load_network(AutoModelForCausalLM, str(tmp_path / "no")),
    ):
        with pytest.raises(ValueError) as said:
            found()
        assert "\n" not in str(said.value) and str(said.value)


def test_a_head_without_weights_is_refused_unless_nothing_reads_it(tmp_path, capfd):
    LlamaModel(LlamaConfig(**SIZE)).save_pretrained(tmp_path)
    capfd.readouterr()
    with pytest.raises(ValueError, match="^no weights for lm_head.weight$"):
        load_network(AutoModelForCausalLM, str(tmp_path))
    assert isinstance(load_network(AutoModelForCausalLM, str(tmp_path), unread=["lm_head"]), torch.nn.Module)
    assert capfd.readouterr() == ("", "")


def test_the_settings_of_transformers_are_put_back():
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    with pytest.raises(KeyError), quiet():
        assert logging.get_verbosity() == logging.ERROR
        raise KeyError
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before
