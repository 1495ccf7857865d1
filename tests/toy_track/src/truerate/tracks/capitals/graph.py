"""The one step of Capitals (section 2)."""

from truerate.tracks.contract import Step

GRAPH = (Step("answer", "subjects", "each subject names the capital of each country"),)
