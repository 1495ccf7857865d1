"""Data as scripts that a page loads from disk: deflated, in base64, without a text's characters."""

import base64
import json
import zlib

import orjson

TEXTS, LISTS = (2, zlib.Z_DEFAULT_STRATEGY), (1, zlib.Z_HUFFMAN_ONLY)  # level and strategy of zlib, measured:
# level 6 saves a tenth of the bytes of texts and takes five times as long; lists of steps hold no repetitions


def packed(data: bytes, how: tuple[int, int] = TEXTS) -> str:
    """Bytes as base64 of raw deflate, which `DecompressionStream("deflate-raw")` of a browser opens."""
    level, strategy = how
    squeezed = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, 8, strategy)
    return base64.b64encode(squeezed.compress(data) + squeezed.flush()).decode("ascii")


def unpacked(text: str) -> bytes:
    """Return what `packed` was given."""
    return zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS)


def spelled(value: object) -> bytes:
    """A value as JSON; half a surrogate pair becomes a question mark."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def packed_json(value: object) -> str:
    """A value as packed JSON."""
    return packed(spelled(value))


def packed_script(call: str, *values: str | int, data: str | list[str]) -> str:
    """A data script `call(values…, data);` of packed data, in which nothing has to be escaped."""
    head = json.dumps([*values], separators=(",", ":")).replace("<", "\\u003c")[1:-1]
    packed_data = f'"{data}"' if isinstance(data, str) else "[" + ",".join(f'"{text}"' for text in data) + "]"
    return f"{call}({head},{packed_data});\n"
