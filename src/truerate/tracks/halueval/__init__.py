"""HaluEval (the HELMA benchmark): sampling-then-filtering, labelled general queries, recognition, refinement."""
