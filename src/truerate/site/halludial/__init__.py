"""HalluDial's pages: who finds what, where and why; rates over turns and dialogues; conversations to read."""
