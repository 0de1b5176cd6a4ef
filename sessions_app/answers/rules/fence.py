"""The fence of one reader's texts: its nonce is derived from a secret and the text, and stored nowhere.

For equal text the nonce is the same, so that a text that is sent again is the same byte for byte and a client's prompt
cache holds. It is another one for each reader: who reads their own note learns nothing of what others are sent.
"""

import hashlib
import hmac
from dataclasses import dataclass

from accounts.rules.fence import DATA, NONCE_DIGITS, fence


@dataclass(frozen=True)
class Fence:
    """What marks off the texts of one reader. `key`: bytes that no author of a text knows."""

    key: bytes

    @classmethod
    def of(cls, secret: str, reader: str) -> "Fence":
        """The fence of a reader, by whatever names them for good; `secret` is the deployment's."""
        return cls(hmac.digest(secret.encode(), f"loam.fence:{reader}".encode(), "sha256"))

    def around(self, body: str) -> str:
        """A body whose foreign parts are inert, within the fence."""
        nonce = hmac.new(self.key, body.strip().encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return fence(body, nonce[:NONCE_DIGITS])

    def data(self, body: str) -> str:
        """The same, and marked as data in its first line."""
        return self.around(f"{DATA}\n{body.strip()}")
