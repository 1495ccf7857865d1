"""Which weights they are, wherever they lie."""

from pathlib import Path


def identity_of(weights: str, revision: str | None) -> str:
    """What names the weights behind a Hub id or a folder: `id@commit`, or sixteen hex digits over the
    folder's names and bytes.

    `weights` has been loaded: its config.json lies in huggingface_hub's cache, in a folder named by its
    commit.
    """
    from huggingface_hub import hf_hub_download

    from truerate.detectors.tokens.cells import version_of

    if Path(weights).is_dir():
        return version_of(Path(weights))
    return f"{weights}@{Path(hf_hub_download(weights, 'config.json', revision=revision)).parent.name}"
