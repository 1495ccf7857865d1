"""What the rules run: one step, one model, one shard, from the source's tables and the replies of the steps
before it.
"""

from truerate.tracks.mfava.steps import answer, check, query, silver, translate

__all__ = ["answer", "check", "query", "silver", "translate"]
