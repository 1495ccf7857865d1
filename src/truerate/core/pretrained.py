"""What transformers loads by Hub id or folder: whole and without chatter, or one line that says why not;
never remote code or pickles.

Where a folder lacks a tokenizer or weights lack a layer, transformers goes on: with an empty vocabulary, with
random numbers. Both would give judgements that look like any other, so both are refused here.
"""

import contextlib
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

POOLER = "pooler"  # a module of some encoders that says something of a whole text; nothing here reads it
N_NAMED = 3  # names that a message offers of many


def not_weights(value: str) -> str | None:
    """Return why a name can be neither a Hub id nor a folder that is there; None where it can."""
    is_id = re.fullmatch(r"[\w.\-]{1,96}(/[\w.\-]{1,96})?", value, re.ASCII) and not value.startswith(
        (".", "-")
    )
    return (
        None
        if is_id or is_folder(value)
        else f"{value[:100]!r} is no Hub id (name or org/name), and no folder is there"
    )


def is_folder(value: str) -> bool:
    """Return whether a name is that of a folder which is there; False for one that no folder can have."""
    try:
        return Path(value).expanduser().is_dir()
    except (OSError, RuntimeError):  # too long; the home of a user that is none
        return False


def absent(weights: str, *, revision: str | None = None) -> str | None:
    """Return why nothing can be loaded by a name: no folder, no readable Hub repository, offline. Or None."""
    if is_folder(weights):
        return None
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    try:
        hf_hub_download(weights, "config.json", revision=revision)
    except LocalEntryNotFoundError:  # which is also one of the class below
        return f"{weights!r} is not in the cache, and the Hub cannot be asked"
    except EntryNotFoundError:  # a repository of a tokenizer alone has none
        return None
    except Exception as error:  # not there, private, gated, no name of the Hub: it says which in many lines
        return f"{weights!r} cannot be had from the Hub ({type(error).__name__})"
    return None


def load_tokenizer(weights: str, *, revision: str | None = None) -> Any:
    """The tokenizer of a Hub id or path. Raises ValueError if it is absent or its vocabulary empty."""
    from transformers import AutoTokenizer

    with quiet():
        try:
            loaded = AutoTokenizer.from_pretrained(weights, revision=revision, trust_remote_code=False)
        except Exception as error:  # errors of tokenizers have no class of their own
            raise ValueError(_line(error)) from None
    if is_empty(loaded):
        raise ValueError("no vocabulary is there (tokenizer.json is missing)")
    return loaded


def is_empty(tokenizer: Any) -> bool:
    """Return whether a tokenizer knows nothing besides its special tokens and the mark of a blank."""
    return set(tokenizer.get_vocab()) <= {*tokenizer.all_special_tokens, "▁"}


def load_network(kind: Any, weights: str, *, unread: Collection[str] = (), **options: Any) -> Any:
    """The network of a Hub id or path, by an Auto class of transformers (`kind`), from safetensors alone.
    Modules in `unread` may lack weights. Raises ValueError if it is absent, damaged, or has missing or
    misshapen weights.
    """
    fixed = {"use_safetensors": True, "trust_remote_code": False, "output_loading_info": True}
    fixed["ignore_mismatched_sizes"] = "quantization_config" not in options  # so that we can name them
    with quiet():
        try:
            model, report = kind.from_pretrained(weights, **options, **fixed)
        except Exception as error:  # a config that somebody else wrote may fail anywhere in transformers
            raise ValueError(_line(error)) from None
    if turned := sorted(name for name, *_ in report["mismatched_keys"]):
        raise ValueError(f"its weights have not the shapes that its config.json names: {_few(turned)}")
    if lacking := sorted(name for name in report["missing_keys"] if not set(name.split(".")) & set(unread)):
        raise ValueError(f"no weights for {_few(lacking)}")  # they would be drawn at random
    return model


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers' reports meanwhile, and its bars unless a person looks on."""
    from transformers.utils import logging

    level, is_unseen = logging.get_verbosity(), logging.is_progress_bar_enabled() and not sys.stderr.isatty()
    logging.set_verbosity_error()
    if is_unseen:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if is_unseen:
            logging.enable_progress_bar()


def _few(names: list[str]) -> str:
    """The first names of many, and how many more there are."""
    more = len(names) - N_NAMED
    return ", ".join(names[:N_NAMED]) + (f" and {more} more" if more > 0 else "")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
