"""What the detectors of a board cost in GPU hours: arithmetic from settings, nothing is measured here.

A network of N parameters (embeddings left out) takes 2N operations per token to read, and three times as many to
learn with frozen weights and checkpointing: forward, forward again, back through the layers.
"""

from collections.abc import Iterable

from truerate.config import Backbone, Params
from truerate.tracks.gpu_cost import READ, GpuHours, GridCell, hours

TAUGHT = 0.7  # of the passages are learned from, the others validate (mFAVA Table 5)
TOKENS_LEARNED = 1_350  # of a passage of FAVA's training file with its references (counted there)
TOKENS_JUDGED = 800  # of a reply with the lead that it is held against (assumed: 600 and 200)
LEARNED = 6.15  # operations per parameter and token, attention over TOKENS_LEARNED among them


def gpu_hours(p: Params, board: str, cells: Iterable[GridCell]) -> list[GpuHours]:
    """The hours of every network that says its size (`resources.size_b`). `cells`: those of the board's grid."""
    known = list(cells)
    found = []
    for member in dict.fromkeys(cell.member for cell in known):
        backbone = p.backbones.get(member)
        if backbone is None or backbone.resources.size_b is None:
            continue
        own = [cell for cell in known if cell.member == member]
        train = sum(training_hours(p, board, backbone, is_mono=cell.is_mono) for cell in own)
        judge = sum(
            judging_hours(p, board, backbone, is_mono=cell.is_mono, is_everywhere=cell.is_everywhere)
            for cell in own
        )
        found.append(GpuHours(member, len(own), train, judge))
    return found


def training_hours(p: Params, board: str, backbone: Backbone, *, is_mono: bool) -> float:
    """Hours of one training: all passages for so many epochs, those that validate read once."""
    n = _passages(p, board, is_mono=is_mono)
    learned = TAUGHT * n * backbone.epochs
    if backbone.max_steps is not None:
        learned = min(learned, backbone.max_steps * backbone.batch * backbone.accumulation)
    return hours(backbone, (LEARNED * learned + READ * (1 - TAUGHT) * n) * TOKENS_LEARNED)


def judging_hours(
    p: Params, board: str, backbone: Backbone, *, is_mono: bool, is_everywhere: bool = True
) -> float:
    """Hours of one detector over the silver passages and replies in the wild that it judges: all replies, or those
    that people label.
    """
    size, track = p.size_of(board), p.track(board)
    n_langs = 1 if is_mono else len(track.languages)
    wild = size.articles * track.wild.queries_per_article * track.wild.replicates * len(track.subjects)
    texts = n_langs * ((wild if is_everywhere else min(wild, size.natural)) + size.silver)
    return hours(backbone, texts * READ * TOKENS_JUDGED)


def _passages(p: Params, board: str, *, is_mono: bool) -> int:
    """Training passages of one detector: as many in each language, English ones among them."""
    langs = {*p.track(board).languages, "en"}
    return p.size_of(board).train * (1 if is_mono else len(langs))
