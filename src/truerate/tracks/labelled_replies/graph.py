"""No step: the replies are published, and no model is asked."""

from truerate.tracks.contract import Step

GRAPH: tuple[Step, ...] = ()
