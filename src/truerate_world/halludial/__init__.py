"""The closed world for HalluDial: its dialogues, and what models and people make of them."""
