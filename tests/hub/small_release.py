"""The release of the small board: its draft and its files."""

from tests.hub import small_board as small
from truerate.hub.configs import configs_of
from truerate.hub.dataset import draft_of
from truerate.hub.kept import Kept
from truerate.hub.release import Draft, Stamp

REPO = "org/little"


def draft(
    *, rows_per_shard: int = 1000, licence=None, tables: dict | None = None, card: dict | None = None, **facts
) -> Draft:
    """The draft of the small board."""
    card = small.CARD | (card or {})
    configs = configs_of(
        small.tables() if tables is None else tables, card=card, source=small.SOURCE, tasks=small.TASKS
    )
    return draft_of(
        small.facts(source=card, **facts), configs, rows_per_shard=rows_per_shard, licence=licence, repo=REPO
    )


def files(draft: Draft) -> dict[str, bytes]:
    """What is put in the repository, of a day of its own."""
    return dict(draft.files(stamp=Stamp("2026-01-05"), changelog="# Change log\n", kept=Kept()))
