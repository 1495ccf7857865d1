"""HaluEval (HELMA): sampling-then-filtering, labelled general queries, recognition, refinement."""
