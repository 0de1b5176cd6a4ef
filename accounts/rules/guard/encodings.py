"""What stands in a value in base 64."""

import base64
import binascii
import re

_PRINTABLE = re.compile(r"[\t\n\r -~]*")


def decoded_bytes(value: str) -> bytes:
    """Return what stands in a value in base 64 (with or without padding, of either alphabet), or nothing."""
    padded = value.rstrip("=").translate({45: 43, 95: 47})
    try:
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def decoded_text(value: str) -> str:
    """Return the printable text that stands in a value in base 64, or an empty one."""
    # eight characters are enough to tell text from what is random
    if len(value) < 8 or not _is_text(decoded_bytes(value[:16])):
        return ""
    decoded = decoded_bytes(value)
    return decoded.decode() if _is_text(decoded) else ""


def _is_text(content: bytes) -> bool:
    return bool(content) and content.isascii() and bool(_PRINTABLE.fullmatch(content.decode()))
