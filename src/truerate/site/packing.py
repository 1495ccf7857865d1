"""Data as scripts that a page loads from disk: deflated, then 13 bits in two letters of 91, so that no character of
a text stands in a script, and a site of many samples stays small.

Base64 would take a third more than the bytes, two letters of 91 take 23 per cent more. The letters are those of
ASCII that can be seen, but `"`, `\\` and `<`, which a script would have to escape.
"""

import json
import zlib

import numpy as np
import orjson

TEXTS, LISTS = (2, zlib.Z_DEFAULT_STRATEGY), (1, zlib.Z_HUFFMAN_ONLY)  # level and strategy of zlib, measured:
# level 6 saves a tenth of the bytes of texts and takes five times as long; lists of steps hold no repetitions
LETTERS = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"\\<')
BITS, GROUP = 13, 8  # 13 bits go into two letters; 8 times 13 bits are 13 bytes
_PAIRS = np.array([ord(LETTERS[k % 91]) | ord(LETTERS[k // 91]) << 8 for k in range(1 << BITS)], "<u2")


def packed(data: bytes, how: tuple[int, int] = TEXTS) -> str:
    """Bytes as letters of raw deflate, which `DecompressionStream("deflate-raw")` of a browser opens."""
    level, strategy = how
    squeezed = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, 8, strategy)
    return lettered(squeezed.compress(data) + squeezed.flush())


def lettered(data: bytes) -> str:
    """Bytes as letters: 13 bits, the lowest first, are a pair, its lower digit in base 91 first. Of up to six bits
    that are left over one letter is made, so that the number of letters tells that of the bytes.
    """
    n_groups = len(data) // BITS + 1
    padded = data.ljust(n_groups * BITS + 2, b"\0")
    pairs = np.empty((n_groups, GROUP), "<u2")
    for k in range(GROUP):
        byte, shift = divmod(k * BITS, 8)
        window = np.ndarray((n_groups,), "<u4", padded, byte, (BITS,))
        pairs[:, k] = _PAIRS[window >> np.uint32(shift) & np.uint32((1 << BITS) - 1)]
    whole, left = divmod(len(data) * 8, BITS)
    return pairs.tobytes()[: 2 * whole + (left > 0) + (left > 6)].decode("ascii")


def unlettered(text: str) -> bytes:
    """What `lettered` was given."""
    places = np.zeros(128, np.uint16)
    places[[ord(letter) for letter in LETTERS]] = np.arange(91)
    digits = places[np.frombuffer(text.ljust(len(text) + len(text) % 2, LETTERS[0]).encode(), np.uint8)]
    pairs = (digits[::2] + 91 * digits[1::2]).astype("<u2")
    bits = np.unpackbits(pairs.view(np.uint8).reshape(-1, 2), axis=1, bitorder="little")[:, :BITS]
    n_bytes = (BITS * (len(text) // 2) + 6 * (len(text) % 2)) // 8
    return np.packbits(bits.ravel(), bitorder="little").tobytes()[:n_bytes]


def unpacked(text: str) -> bytes:
    """What `packed` was given."""
    return zlib.decompress(unlettered(text), -zlib.MAX_WBITS)


def spelled(value: object) -> bytes:
    """A value as JSON; half a surrogate pair becomes a question mark."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def packed_json(value: object) -> str:
    """A value as packed JSON."""
    return packed(spelled(value))


def unpacked_json(text: str) -> object:
    """What `packed_json` was given."""
    return json.loads(unpacked(text))


def packed_script(call: str, *values: str | int, data: str | list[str]) -> str:
    """A data script `call(values…, data);` of packed data, in which nothing has to be escaped."""
    head = json.dumps([*values], separators=(",", ":")).replace("<", "\\u003c")[1:-1]
    told = f'"{data}"' if isinstance(data, str) else "[" + ",".join(f'"{one}"' for one in data) + "]"
    return f"{call}({head},{told});\n"
