"""Small networks of random weights, and passages to feed them."""

import polars as pl
import torch
from transformers import BertConfig, LlamaConfig, ModernBertConfig

from truerate.config import Backbone
from truerate.core.schemas import SPANS
from truerate.detectors.tokens.backbones import body_from_nothing
from truerate.detectors.tokens.encode import tiny_coder
from truerate.detectors.tokens.groups import Group, stream_groups
from truerate.detectors.tokens.network import Network
from truerate.detectors.tokens.scoring import logits_of
from truerate.detectors.tokens.span_probabilities import BINARY, CATEGORY

REFERENCE = "Velmora is a town. It was founded in 1912. It lies on the river Tola. 维尔莫拉镇始建于1912年。 Tesk was founded in 1877."
ANSWERS = (
    "Velmora was founded in 1899 😀.",
    "It lies on the Tola.  ",
    "维尔莫拉镇始建于1913年。",
    "Velmora wurde 1912 gegründet, glaube ich, und liegt an der Tola.",
    "No",
)
SIZE = {"hidden_size": 48, "num_attention_heads": 4, "intermediate_size": 96}
IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}
CONFIGS = {
    "llama": lambda n: LlamaConfig(vocab_size=n, num_hidden_layers=3, num_key_value_heads=2, **SIZE),
    "bert": lambda n: BertConfig(vocab_size=n, num_hidden_layers=3, **SIZE),
    "modernbert": lambda n: ModernBertConfig(
        vocab_size=n, num_hidden_layers=4, local_attention=32, **IDS, **SIZE
    ),
}


def coder():
    """A tokenizer that has seen the reference and some answers."""
    return tiny_coder([REFERENCE, *ANSWERS[1:]] * 3, 700)


def backbone(**changed) -> Backbone:
    """Settings of a tiny network, with changes."""
    fixed = {"weights": "tiny", "mask": "prefix", "features": ("match", "alignment", "telling")}
    more = {"max_tokens": 512, "learning_rate": 1e-3, "weight_decay": 0.0, "batch": 4, "accumulation": 1}
    more |= {"token_budget": 1024, "epochs": 1}
    return Backbone.model_validate(fixed | more | changed)


def passages(texts=ANSWERS, reference=REFERENCE, spans=None) -> pl.DataFrame:
    """Texts about one reference as the detectors get them."""
    columns = {name: pl.String for name in ("target_id", "item_id", "group_id", "lang", "task", "text")}
    fixed = {"item_id": "i", "group_id": "g", "lang": "en", "task": "silver", "reference": reference}
    rows = [
        fixed | {"target_id": f"t{i}", "text": text, "spans": (spans or {}).get(i, [])}
        for i, text in enumerate(texts)
    ]
    return pl.DataFrame(rows, schema=columns | {"spans": SPANS, "reference": pl.String})


def network(kind="llama", mask="prefix", code=None, labels=CATEGORY, **changed) -> Network:
    """A network of one architecture whose random weights are large enough to tell outputs apart."""
    code = code or coder()
    settings = backbone(mask=mask, **changed)
    built = Network(body_from_nothing(CONFIGS[kind](code.n_words), settings), settings, labels, code).eval()
    draws = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for weight in built.parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.12, generator=draws)
    return built


def groups_of(frame, code, settings, labels=BINARY, **how) -> list[Group]:
    """All groups of passages."""
    return list(stream_groups(frame, code, settings, labels, **how))


def group(built: Network, texts=ANSWERS, reference=REFERENCE) -> Group:
    """The one group of some texts about one reference."""
    (only,) = groups_of(passages(texts, reference), built.coder, built.backbone, built.labels)
    return only


def scored(built: Network, *groups: Group) -> list:
    """The probabilities of each answer of groups (default: the one group), (tokens, labels)."""
    return [torch.softmax(logits, -1).numpy() for _, logits in logits_of(built, groups or [group(built)])]
