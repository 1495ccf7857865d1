"""What the rules run: one step, one model, one shard, from the source's tables and the replies of the steps
before it.
"""

from truerate.tracks.wildhallucinations.curating_steps import curate, extract
from truerate.tracks.wildhallucinations.evidence_steps import evidence
from truerate.tracks.wildhallucinations.facts_steps import facts
from truerate.tracks.wildhallucinations.replying_steps import generate

__all__ = ["curate", "evidence", "extract", "facts", "generate"]
