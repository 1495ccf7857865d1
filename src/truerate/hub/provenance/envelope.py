"""A statement under signatures: a DSSE envelope, signed with an Ed25519 key, or the bare statement where there is none."""

import base64
import binascii
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from truerate.core.errors import SettingsError, SourceError
from truerate.core.invisible import visible

KEY = "TRUERATE_SIGNING_KEY"  # the variable of the environment that names the file of the private key
PAYLOAD_TYPE = "application/vnd.in-toto+json"


class Signature(NamedTuple):
    """A signature with the SHA-256 of the public key (SubjectPublicKeyInfo, DER) that is said to verify it."""

    key_id: str
    value: bytes


class Envelope(NamedTuple):
    """The bytes of a statement, and its signatures; none of a bare statement."""

    payload: bytes
    signatures: tuple[Signature, ...]

    def problem(self, key: Any, name: str) -> str | None:
        """Why the statement is not the one that a public key vouches for; None where it is."""
        from cryptography.exceptions import InvalidSignature

        if not self.signatures:
            return f"the statement is unsigned, so {name!r} vouches for nothing"
        for signature in self.signatures:
            try:
                key.verify(signature.value, encoded(self.payload))
                return None
            except InvalidSignature:
                continue
        if key_id(key) in {signature.key_id for signature in self.signatures}:
            return "the statement or its signature was changed after it was signed"
        return f"the statement is signed by key {self.signers()}, not by {name!r} ({key_id(key)[:16]})"

    def signers(self) -> str:
        """The first digits of the keys that are said to have signed."""
        return ", ".join(visible(signature.key_id[:16], is_line=True) for signature in self.signatures)


def encoded(payload: bytes) -> bytes:
    """Return what is signed: DSSE's pre-authentication encoding (PAE, version 1) of a statement."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)


def line_of(payload: bytes, key: Any = None) -> bytes:
    """Return a statement as the line of its file: in a DSSE envelope signed with a private key, else bare.

    DSSE has no envelope without a signature. Ed25519 gives one signature for one key and text.
    """
    if key is None:
        return payload + b"\n"
    signature = {"keyid": key_id(key.public_key()), "sig": _text(key.sign(encoded(payload)))}
    envelope = {"payload": _text(payload), "payloadType": PAYLOAD_TYPE, "signatures": [signature]}
    return json.dumps(envelope, separators=(",", ":")).encode() + b"\n"


def envelope_of(line: bytes, where: str) -> Envelope:
    """Return what a file of a statement holds. Raises SourceError, which begins with `where`, if it is
    neither an envelope of DSSE nor a bare statement.
    """
    try:
        values = json.loads(line)
        if "payload" not in values:
            return Envelope(line.removesuffix(b"\n"), ())
        if values["payloadType"] != PAYLOAD_TYPE:
            raise ValueError(f"its payloadType is {values['payloadType']!r}; allowed: {PAYLOAD_TYPE}")
        signatures = tuple(
            Signature(str(entry.get("keyid", "")), _bytes(entry["sig"])) for entry in values["signatures"]
        )
        return Envelope(_bytes(values["payload"]), signatures)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = " ".join(str(error).split())[:120]
        raise SourceError(f"{where} holds neither a DSSE envelope nor a statement ({problem})") from None


def same_but_signed(ours: bytes, other: str) -> bytes:
    """Return the other line where it holds the statement of ours and a signature that ours lacks, else ours: a
    release that is published again without the key stays signed.
    """
    try:
        envelope = envelope_of(other.encode(), "")
    except SourceError:
        return ours
    mine = envelope_of(ours, "")
    return other.encode() if envelope.payload == mine.payload and not mine.signatures else ours


# ---- keys --------------------------------------------------------------------------------------------------
def private_key(path: Path) -> Any:
    """The Ed25519 key of a PEM file without a passphrase. Raises SettingsError, which shows nothing of it."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    how = "make one by `openssl genpkey -algorithm ed25519 -out KEY.pem`"
    return _key(
        path, lambda text: load_pem_private_key(text, None), Ed25519PrivateKey, f"{KEY}: private", how
    )


def public_key(path: Path) -> Any:
    """The Ed25519 public key of a PEM file. Raises SettingsError."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    how = "of a private one: `openssl pkey -in KEY.pem -pubout`"
    return _key(path, load_pem_public_key, Ed25519PublicKey, "--key: public", how)


def _key(path: Path, load: Any, kind: type, what: str, how: str) -> Any:
    """The key of one kind in a file."""
    from cryptography.exceptions import UnsupportedAlgorithm

    wanted = f"{what} key {str(path)!r}"
    try:
        key = load(path.read_bytes())
    except OSError as error:
        raise SettingsError(f"{wanted} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise SettingsError(f"{wanted} is no key in PEM without a passphrase; {how}") from None
    if not isinstance(key, kind):
        raise SettingsError(f"{wanted} is no Ed25519 key; {how}")
    return key


def key_id(key: Any) -> str:
    """Name a public key: the SHA-256, in hex, of its SubjectPublicKeyInfo (DER)."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _bytes(text: str) -> bytes:
    """Bytes of base64, of the standard or the URL-safe alphabet. Raises ValueError."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
