"""Data as scripts that a page loads from disk: deflated, then base64, so that no character of a text stands in
a script, and a site of many samples stays small.
"""

import base64
import json
import zlib

LEVEL = 1  # of zlib: 6 saves a tenth of the bytes and takes three times as long


def packed(data: bytes) -> str:
    """Bytes as base64 of raw deflate, which `DecompressionStream("deflate-raw")` of a browser opens."""
    squeezed = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeezed.compress(data) + squeezed.flush()).decode("ascii")


def unpacked(text: str) -> bytes:
    """What `packed` was given."""
    return zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS)


def packed_json(value: object) -> str:
    """A value as packed JSON; half a surrogate pair becomes a question mark."""
    spelled = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return packed(spelled.encode("utf-8", "replace"))


def unpacked_json(text: str) -> object:
    """What `packed_json` was given."""
    return json.loads(unpacked(text))
