"""truerate: benchmarks of LLM hallucination whose numbers can be believed."""

__version__ = "0.1.0"
