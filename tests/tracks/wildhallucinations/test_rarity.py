"""The rarity of names: by hand where it can be, and by a language model with random weights."""

import math

import pytest

from truerate.core.errors import TruerateError
from truerate.llm.generation import facts
from truerate.tracks.wildhallucinations.entities import item
from truerate.tracks.wildhallucinations.rarity import order_of_magnitude, perplexities, with_rarity

TEXTS = [f"Tell me about Varn, chapter {number}." for number in range(40)] + ["Tell me about Qeluzi."]


def test_one_character_by_hand():
    # Counted: "\n\n\n\n a" (4 line ends, a blank, an a): alphabet 3, so P0 = 1/4. Without history: c(a) = 1
    # of 6, 3 kinds: (1 + 3/4) / (6 + 3) = 7/36. Behind " " c = 1 of 1, one kind: (1 + 7/36) / 2 = 43/72. No
    # longer history is known. Per 4 characters:
    assert perplexities(["a"], ["a"], "ngram")["a"] == pytest.approx((72 / 43) ** 4, abs=1e-6)


def test_what_the_chats_hold_often_is_less_rare_however_it_is_spelled():
    perplexity_of = perplexities(["Varn", "VARN", "Qeluzi", "Zzqvv"], TEXTS, "ngram")
    assert (
        1 <= perplexity_of["Varn"] == perplexity_of["VARN"] < perplexity_of["Qeluzi"] < perplexity_of["Zzqvv"]
    )


def test_a_name_with_a_character_that_no_message_holds_is_unknown():
    rows = [item("i", "s", name, domain="visual") for name in ("Varn", "Xxyqq", "東京")]
    assert perplexities(["Xxyqq", "東京"], TEXTS, "ngram") == {"Xxyqq": None, "東京": None}
    groups = [facts(row)["rarity_group"] for row in with_rarity(rows, TEXTS, "ngram")]
    assert groups[1:] == ["unknown", "unknown"] and groups[0].startswith("10^")


def test_nothing_to_go_by_is_none():
    assert perplexities(["Varn"], [], "ngram") == perplexities(["Varn"], [" "], "ngram") == {"Varn": None}
    assert perplexities([""], TEXTS, "ngram") == {"": None} and perplexities([], TEXTS, "ngram") == {}


def test_groups_are_orders_of_magnitude():
    groups = [order_of_magnitude(value) for value in (1.0, 9.99, 10.0, 999.9, 1e5, 1e6, 3e9)]
    assert groups == ["10^0", "10^0", "10^1", "10^2", "10^5", "10^6+", "10^6+"]


def test_items_get_both_attributes_or_neither():
    rows = [item("i", "s", "Varn", domain="visual")]
    attributes = facts(with_rarity(rows, TEXTS, "ngram")[0])
    assert attributes["domain"] == "visual" and attributes["rarity_group"] == order_of_magnitude(
        float(attributes["rarity"])
    )
    assert len(attributes["rarity"].partition(".")[2]) == 6
    assert facts(with_rarity(rows, [], "ngram")[0]).keys() == {"name", "domain"}


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A two-layer GPT-2 of random weights over letters, with a start token."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    vocabulary = {character: number for number, character in enumerate("<abcdefghijklmnopqrstuvwxyz?")}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    folder = tmp_path_factory.mktemp("gpt2")
    PreTrainedTokenizerFast(tokenizer_object=words, unk_token="?", bos_token="<").save_pretrained(folder)
    torch.manual_seed(0)
    GPT2LMHeadModel(
        GPT2Config(vocab_size=len(vocabulary), n_positions=32, n_embd=16, n_layer=2, n_head=2)
    ).save_pretrained(folder)
    return str(folder)


def test_a_causal_model_gives_the_mean_loss_of_the_tokens_behind_its_start(weights):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    perplexity_of = perplexities(["varn", "q", "teruvarnodla", ""], [], weights)
    tokenizer, model = (
        AutoTokenizer.from_pretrained(weights),
        AutoModelForCausalLM.from_pretrained(weights).eval(),
    )
    for name in ("varn", "q", "teruvarnodla"):
        ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(name)["input_ids"]]])
        with torch.no_grad():
            loss = model(input_ids=ids, labels=ids).loss.item()
        assert perplexity_of[name] == pytest.approx(math.exp(loss), rel=1e-4)
    assert perplexity_of[""] is None


def test_no_such_model_is_one_line(tmp_path):
    with pytest.raises(TruerateError, match="tracks.wildhallucinations.rarity: no language model") as error:
        perplexities(["Varn"], [], str(tmp_path))
    assert "\n" not in str(error.value)


def test_a_lists_own_perplexities_come_first_and_no_model_is_asked():
    """Of some names, of one that is none, and of none at all, where the texts say."""
    given = {"Varn": 11.91, "Qeluzi": 4321.5, "Teru": None, "Omi": 0.2, "Zed": math.inf}
    rows = [
        item("i", "s", name, domain="visual", **({} if value is None else {"perplexity": value}))
        for name, value in given.items()
    ]
    perplexity_of = with_rarity(rows, TEXTS, "/no/such/weights")
    rarities = [(facts(row).get("rarity"), facts(row)["rarity_group"]) for row in perplexity_of]
    unknown = (None, "unknown")
    assert rarities == [("11.910000", "10^1"), ("4321.500000", "10^3"), unknown, unknown, unknown]
    bare = with_rarity([item("i", "s", "Varn", domain="visual")], TEXTS, "ngram")
    assert "rarity" in facts(bare[0])
