"""HalluDial: hallucination in dialogues, its place and its reason; rates per turn and per dialogue."""
