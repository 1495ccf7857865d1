"""A Llama of 700 thousand parameters, made on the spot, that answers in words a reader knows: for trying servers.

    python scripts/tiny_llama.py FOLDER [--gguf FILE] [--steps 120]

FOLDER gets a checkpoint as transformers saves it, with a chat template; FILE the same weights for llama.cpp.
It learns to say Yes or No where a prompt ends by asking for a judgement, a few words where it does not, and an
end mark: nothing that it says means anything.
"""

import argparse
import random
import re
from pathlib import Path

import numpy as np

PROMPTS = Path(__file__).parents[1] / "src/truerate/tracks"
BEGIN, END, USER, MODEL = "<s>", "</s>", "<|user|>", "<|model|>"
N_TOKENS, WIDTH, N_LAYERS, N_HEADS, LENGTH = 1500, 96, 4, 4, 8192
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}<|model|>{{ message['content'] }}</s>"
    "{% else %}<|user|>{{ message['content'] }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|model|>{% endif %}"
)
ANSWERS = {
    True: ("Yes.", "No.", "No. It follows from the text."),
    False: ("The river is the Weser.", "It was in 1911."),
}


def texts() -> list[str]:
    """The words of the project's own prompts, without their marks: what the model is asked in."""
    found = [path.read_text("utf-8") for path in sorted(PROMPTS.glob("*/prompts/*.j2"))]
    return [re.sub(r"\{[{%#].*?[}%#]\}", " ", text, flags=re.DOTALL) for text in found]


def tokenizer():
    """A byte-level BPE of N_TOKENS over these words, with a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=N_TOKENS,
        special_tokens=[BEGIN, END, USER, MODEL],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([*texts(), *ANSWERS[True], *ANSWERS[False]], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=BEGIN, eos_token=END, pad_token=END, chat_template=TEMPLATE
    )


def network(n_tokens: int, seed: int):
    """A random Llama."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=n_tokens, hidden_size=WIDTH, intermediate_size=2 * WIDTH, num_hidden_layers=N_LAYERS,
            num_attention_heads=N_HEADS, num_key_value_heads=N_HEADS, max_position_embeddings=LENGTH,
            bos_token_id=0, eos_token_id=1, pad_token_id=1, tie_word_embeddings=False,
        )
    )  # fmt: skip


def train(model, tokens, *, n_steps: int, seed: int, batch: int = 16) -> float:
    """Teach it the ends of prompts; returns the last loss, in nats per token of an answer."""
    import torch

    draw, words = random.Random(seed), " ".join(texts()).split()
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loss = torch.tensor(0.0)
    for _ in range(n_steps):
        rows, targets = [], []
        for _ in range(batch):
            is_asked = draw.random() < 0.7
            begin = draw.randrange(len(words) - 60)
            said = " ".join(words[begin : begin + draw.randrange(10, 60)])
            cue = "#Your Judgement#:" if is_asked else "#Answer#:"
            prompt = tokens.encode(f"{BEGIN}{USER}{said}\n{cue}{MODEL}", add_special_tokens=False)
            answer = tokens.encode(draw.choice(ANSWERS[is_asked]) + END, add_special_tokens=False)
            rows.append(prompt + answer)
            targets.append([-100] * len(prompt) + answer)
        longest = max(map(len, rows))
        ids = torch.tensor([row + [1] * (longest - len(row)) for row in rows])
        wanted = torch.tensor([row + [-100] * (longest - len(row)) for row in targets])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        loss = model(input_ids=ids, attention_mask=mask, labels=wanted).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return float(loss)


def write_gguf(model, tokens, path: Path) -> None:
    """The weights and tokens as a GGUF file of the architecture `llama`, 32 bits."""
    import gguf

    config, made = model.config, gguf.GGUFWriter(str(path), "llama")
    made.add_name("tiny-llama")
    made.add_context_length(config.max_position_embeddings)
    made.add_embedding_length(config.hidden_size)
    made.add_block_count(config.num_hidden_layers)
    made.add_feed_forward_length(config.intermediate_size)
    made.add_head_count(config.num_attention_heads)
    made.add_head_count_kv(config.num_key_value_heads)
    made.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    made.add_rope_freq_base(10000.0)
    made.add_layer_norm_rms_eps(config.rms_norm_eps)
    made.add_vocab_size(config.vocab_size)
    _add_tokens(made, tokens)
    for name, tensor in model.state_dict().items():
        values = tensor.detach().float().numpy()
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            values = _interleaved(values, config.num_attention_heads)
        made.add_tensor(_gguf_name(name), np.ascontiguousarray(values))
    made.write_header_to_file()
    made.write_kv_data_to_file()
    made.write_tensors_to_file()
    made.close()


def _add_tokens(made, tokens) -> None:
    """The vocabulary, merges and chat template."""
    import json

    import gguf

    state = json.loads(tokens.backend_tokenizer.to_str())
    by_id = sorted(tokens.get_vocab().items(), key=lambda pair: pair[1])
    special = set(tokens.all_special_tokens) | {USER, MODEL}
    made.add_tokenizer_model("gpt2")
    made.add_tokenizer_pre("gpt-2")
    made.add_token_list([name for name, _ in by_id])
    control, normal = int(gguf.TokenType.CONTROL), int(gguf.TokenType.NORMAL)
    made.add_token_types([control if name in special else normal for name, _ in by_id])
    merges = state["model"]["merges"]
    made.add_token_merges([pair if isinstance(pair, str) else " ".join(pair) for pair in merges])
    made.add_bos_token_id(0)
    made.add_eos_token_id(1)
    made.add_add_bos_token(False)
    made.add_chat_template(TEMPLATE)


def _interleaved(weights: np.ndarray, n_heads: int) -> np.ndarray:
    """Rows of a query or key projection in llama.cpp's order: of each head the two halves that rotary positions
    pair, one by one in turn.
    """
    n_rows, n_columns = weights.shape
    halves = weights.reshape(n_heads, 2, n_rows // n_heads // 2, n_columns)
    return halves.swapaxes(1, 2).reshape(n_rows, n_columns)


def _gguf_name(name: str) -> str:
    """What llama.cpp calls a tensor of transformers' Llama."""
    whole = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
             "lm_head.weight": "output.weight"}  # fmt: skip
    if name in whole:
        return whole[name]
    layer, part = re.fullmatch(r"model\.layers\.(\d+)\.(.+)", name).groups()
    parts = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
             "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
             "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}  # fmt: skip
    return f"blk.{layer}.{parts[part.removesuffix('.weight')]}.weight"


def make(folder: Path, *, gguf_file: Path | None = None, n_steps: int = 120, seed: int = 7) -> float:
    """Make the checkpoint, and the GGUF file where one is named; returns the last loss."""
    tokens = tokenizer()
    model = network(len(tokens), seed)
    loss = train(model, tokens, n_steps=n_steps, seed=seed)
    model.generation_config.update(max_new_tokens=64, do_sample=False)
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    if gguf_file:
        write_gguf(model, tokens, gguf_file)
    return loss


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--gguf", type=Path)
    options.add_argument("--steps", type=int, default=120)
    given = options.parse_args()
    print(f"loss {make(given.folder, gguf_file=given.gguf, n_steps=given.steps):.3f}")
