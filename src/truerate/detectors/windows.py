"""Windows of what is too long to be read at once: where they begin and end."""

SHARED = 4  # a window repeats the last quarter of the one before it


def borders(n: int, size: int) -> list[tuple[int, int]]:
    """Start and end of the windows of at most `size` units (at least 1) over `n` units, in their order: each
    begins a quarter of a window before the end of the one before it, and all together leave nothing out. One
    where all fits, none of nothing.
    """
    size = max(size, 1)
    if n <= size:
        return [(0, n)] if n else []
    step = max(size - size // SHARED, 1)
    return [(start, min(start + size, n)) for start in range(0, n - size + step, step) if start < n]
