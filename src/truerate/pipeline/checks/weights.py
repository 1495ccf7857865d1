"""Weights that a board's track would load late in its data set, looked for before a model is asked: what was
paid for until then would wait for a name that nobody has.
"""

from pathlib import Path

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.pretrained import absent
from truerate.core.schemas import pair, read_parquet
from truerate.pipeline.judges.asked_models import refuse_unusable


def refuse_absent(config: Layout, board: str) -> None:
    """Raise TruerateError if weights of a board are in no folder, no cache and not on the Hub, or a published
    detector of it cannot be used. Weights are not needed where items bring what they would compute
    (`weights_spared`).
    """
    settings = config.p.track(board)
    for key, own_word in settings.weights_in.items():
        weights = settings.setting(key)
        if weights in (None, own_word) or brings(config, board, settings.weights_spared.get(key)):
            continue
        if why := absent(weights):
            setting = config.p.setting_name(board, key)
            raise TruerateError(
                f"{setting}: {why}; correct it, or name a folder of weights (nothing was asked of a model "
                "for it)"
            )
    refuse_unusable(config, board)


def brings(config: Layout, board: str, attribute: str | None) -> bool:
    """Return whether an item of the board's source, which is imported, has a value of this attribute."""
    path = Path(config.source(config.p.board(board).source, "items"))
    if attribute is None or not path.is_file():
        return False
    return (
        read_parquet(path, columns=["attributes"])
        .select(pair("attributes", attribute).is_not_null().any())
        .item()
    )
