"""The fence of one reader's texts: its nonce is derived from a secret and the text, and stored nowhere.

The nonce of equal text is equal, so that a text that is sent again is the same byte for byte and a client's prompt
cache holds. It differs between readers, so that the author of a note learns nothing of what others receive.
"""

import hashlib
import hmac
from dataclasses import dataclass

from accounts.rules.fence import DATA, NONCE_DIGITS, fence


@dataclass(frozen=True)
class Fence:
    """The marks around the texts of one reader. `key`: bytes that no author of a text knows."""

    key: bytes

    @classmethod
    def of(cls, secret: str, reader: str) -> "Fence":
        """Return the fence of a reader, given by a permanent name; `secret` is the deployment's."""
        return cls(hmac.digest(secret.encode(), f"loam.fence:{reader}".encode(), "sha256"))

    def around(self, body: str) -> str:
        """Return a body whose foreign parts are inert, within the fence."""
        nonce = hmac.new(self.key, body.strip().encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return fence(body, nonce[:NONCE_DIGITS])

    def data(self, body: str) -> str:
        """Return the same, marked as data in its first line."""
        return self.around(f"{DATA}\n{body.strip()}")
