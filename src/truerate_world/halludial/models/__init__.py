"""The simulated models of dialogues on given knowledge."""
