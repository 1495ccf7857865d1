"""The closed world for HaluEval: its questions, dialogues and stories, and what models make of them."""
