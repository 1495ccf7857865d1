"""The real models over all committed boards: which names are one model, a page each, and two side by side."""
