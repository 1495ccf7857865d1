"""Pages of labelled replies: rates of those who wrote them first, then what detectors say of the same replies."""
