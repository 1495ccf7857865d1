"""Tiny networks of random weights, of the very classes and kinds of tokenizer that published detectors have,
saved as the Hub has them. Weights are large enough to tell inputs apart.
"""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    DebertaV2Config,
    DebertaV2ForSequenceClassification,
    LlamaConfig,
    LlamaForCausalLM,
    ModernBertConfig,
    ModernBertForTokenClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
    T5Config,
    T5ForConditionalGeneration,
    T5ForTokenClassification,
)

TEXTS = (
    "Varn is a town in the north. It lies on the river Tola.",
    "Tesk has a new wall of stone. Nobody knows who built it, in 1912 or 1877.",
    "Briefly answer the following question: Where is it? passage 1: output: Premise Hypothesis predict",
    "Document Claim Yes No yes no PASS FAIL SCORE score",
)
SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
T5_SIZE = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2}
CHAT = (
    "{% for one in documents or [] %}<doc {{ one.doc_id }}>{{ one.text }}</doc>{% endfor %}{% if "
    "guardian_config %}<{{ guardian_config.criteria_id }} {{ think }}>{% endif %}{% for one in messages "
    "%}<{{ one.role }}>{{ one.content }}{% endfor %}{% if add_generation_prompt %}<go>{% endif %}"
)


def _bpe(special: list[str]) -> Tokenizer:
    """Byte-level pieces, as RoBERTa's and ModernBERT's."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


def _unigram(special: list[str]) -> Tokenizer:
    """Sentencepiece's pieces with `▁`, as T5's and DeBERTa-v3's."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=300, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


def _around(tokenizer: Tokenizer, single: str, pair: str, special: list[str]) -> None:
    ids = [(name, tokenizer.token_to_id(name)) for name in special]
    tokenizer.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=ids)


def _saved(folder: Path, tokenizer: Tokenizer, model, **names) -> str:
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    if model is not None:
        loud(model).save_pretrained(folder, safe_serialization=True)
    return str(folder)


def loud(model):
    """The model with seeded weights that are no small noise; vectors (norms, biases) stay."""
    draws = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.25, generator=draws)
    return model.eval()


def modernbert(folder: Path, **more) -> str:
    """LettuceDetect's: two classes per token."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer = _bpe(special)
    _around(tokenizer, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", special[2:])
    ids = {"pad_token_id": 0, "cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3}
    sees = {"max_position_embeddings": 4096, "local_attention": 16}
    config = ModernBertConfig(vocab_size=tokenizer.get_vocab_size(), **SIZE, **ids, **(sees | more))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return _saved(folder, tokenizer, ModernBertForTokenClassification(config), **names)


ROBERTA = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "cls_token": "<s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
}


def roberta_tokenizer() -> Tokenizer:
    tokenizer = _bpe(["<s>", "<pad>", "</s>", "<unk>"])
    _around(tokenizer, "<s> $A </s>", "<s> $A </s> </s> $B </s>", ["<s>", "</s>"])
    return tokenizer


def roberta_config(tokenizer: Tokenizer, **more) -> RobertaConfig:
    ids = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "type_vocab_size": 1}
    return RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=514, **ids, **SIZE, **more
    )


def roberta(folder: Path, **more) -> str:
    """MiniCheck-RoBERTa's (two classes), or an inference network (`num_labels=3`)."""
    tokenizer = roberta_tokenizer()
    return _saved(
        folder, tokenizer, RobertaForSequenceClassification(roberta_config(tokenizer, **more)), **ROBERTA
    )


def deberta(folder: Path) -> str:
    """MiniCheck-DeBERTa's and FactCG's."""
    special = ["[PAD]", "[CLS]", "[SEP]", "<unk>"]
    tokenizer = _unigram(special)
    _around(tokenizer, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", special[1:3])
    relative = {"relative_attention": True, "position_biased_input": False, "pos_att_type": ["p2c", "c2p"]}
    config = DebertaV2Config(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=64, **relative, **SIZE
    )
    names = {
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "unk_token": "<unk>",
        "eos_token": "[SEP]",
    }
    return _saved(folder, tokenizer, DebertaV2ForSequenceClassification(config), **names)


def _t5(folder: Path, make) -> str:
    tokenizer = _unigram(["<pad>", "</s>", "<unk>"])
    _around(tokenizer, "$A </s>", "$A </s> $B </s>", ["</s>"])
    model = make and make(T5Config(vocab_size=320, decoder_start_token_id=0, num_labels=2, **T5_SIZE))
    folder.mkdir(exist_ok=True)
    T5Config(vocab_size=320, decoder_start_token_id=0, **T5_SIZE).save_pretrained(folder)
    return _saved(folder, tokenizer, model, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def flan_t5(folder: Path) -> str:
    """MiniCheck-Flan-T5's: an encoder with a decoder."""
    return _t5(folder, T5ForConditionalGeneration)


def hhem(folder: Path, base: Path) -> tuple[str, str]:
    """HHEM's weights, whose names begin with `t5.` and whose config is of a class of its own; and the Flan-T5
    that tokenizer and shape are taken from.
    """
    from safetensors.torch import load_file, save_file

    _t5(folder, T5ForTokenClassification)
    state = load_file(folder / "model.safetensors")
    save_file(
        {f"t5.{name}": value for name, value in state.items()}, folder / "model.safetensors", {"format": "pt"}
    )
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (folder / file).unlink()
    values = '{"architectures": ["HHEMv2ForSequenceClassification"], "model_type": "HHEMv2Config"}'
    (folder / "config.json").write_text(values)
    return str(folder), _t5(base, None)


def llama(folder: Path, *, chat: str | None = CHAT) -> str:
    """A judge's decoder."""
    tokenizer = _bpe(["<s>", "</s>", "<pad>"])
    ids = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "num_key_value_heads": 2}
    config = LlamaConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=8192, **ids, **SIZE)
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    return _saved(
        folder, tokenizer, LlamaForCausalLM(config), **names, **({"chat_template": chat} if chat else {})
    )
