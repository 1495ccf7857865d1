"""The rate of hallucination of a person's own answers: read, judged, estimated, told."""
