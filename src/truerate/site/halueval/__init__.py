"""HaluEval's pages."""
