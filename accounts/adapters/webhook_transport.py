"""Send webhooks to addresses that people have typed in: HTTPS only, without redirects, and not into the own network.

The name is resolved once, all its addresses must be public, and the connection goes to one of exactly these, so a name
that resolves to something else a moment later gains nothing (DNS rebinding). LOAM_WEBHOOKS_PRIVATE allows private
addresses and plain HTTP, for receivers in the same network.
"""

import http.client
import ipaddress
import re
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.module_loading import import_string

# Seconds for connecting, and for each wait for the answer. A receiver should accept the message and process it later.
PATIENCE = 5.0
# The longest host name (RFC 1035).
LONGEST_NAME = 253
# Seconds for a delivery from beginning to end.
WHOLE = 15.0
PORTS = {"https": 443, "http": 80}
# IPv6 ranges that embed an IPv4 address (RFC 6052, 3056, 4380), which is checked instead.
EMBEDDING = [ipaddress.ip_network(text) for text in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")]
# Top-level labels that are not on the public internet (RFC 6761, 6762, 7686; ICANN for `internal`).
INSIDE = {"localhost", "local", "internal", "invalid", "test", "onion"}
# A last label that makes the host an IPv4 address, in any notation (WHATWG URL).
_NUMBER = re.compile(r"\d+|0x[\da-f]*")


class Unreachable(Exception):
    """The delivery failed; the message says why. `for_good`: a retry would not help."""

    def __init__(self, why: str, *, for_good: bool = False) -> None:
        super().__init__(why)
        self.for_good = for_good


class WebhookTransport(Protocol):
    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Return the status of the answer. Raises Unreachable."""
        ...


def webhook_transport() -> WebhookTransport:
    """Return the transport that LOAM_OUTSIDE names, as EMAIL_BACKEND does for mail."""
    return import_string(settings.LOAM_OUTSIDE)()


def fault_of(url: str) -> str:
    """Return what is wrong with an address as it is written, or "". It is resolved only at delivery."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "This is not a valid address."
    if any(ord(letter) <= 32 or ord(letter) >= 127 for letter in url):
        return "Use ASCII characters without spaces."
    if parts.scheme not in (PORTS if settings.LOAM_WEBHOOKS_PRIVATE else ("https",)):
        return "The address must start with https://."
    if not _is_name(parts.hostname):
        return "This is not a valid host name."
    if not parts.hostname or parts.username or parts.password or parts.fragment or port == 0:
        return "Use the form https://host/path, without user, password or fragment."
    try:
        literal = ipaddress.ip_address(parts.hostname)
    except ValueError:
        return _fault_of_name(parts.hostname)
    return "" if _allowed(literal) else PRIVATE


def _fault_of_name(host: str) -> str:
    """Return what is wrong with a host name. The system's resolver takes `0`, `127.1` and `0x7f000001` for addresses,
    and resolves some names only to this machine or its network.
    """
    labels = host.removesuffix(".").split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return "Write an IP address as four decimal numbers."
    inside = len(labels) < 2 or labels[-1] in INSIDE or labels[-2:] == ["home", "arpa"]
    return PRIVATE if inside and not settings.LOAM_WEBHOOKS_PRIVATE else ""


def _is_name(host: str | None) -> bool:
    """Return whether it can be resolved: the standard library raises UnicodeError for a label of more than 63
    letters.
    """
    try:
        return len((host or "").encode("idna")) <= LONGEST_NAME
    except UnicodeError:
        return False


PRIVATE = "This address is not on the public internet."


class Https:
    """The default transport, over HTTPS."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        fault = fault_of(url)
        if fault:
            raise Unreachable(fault, for_good=True)
        parts = urlsplit(url)
        connection = _Pinned(parts, _address(parts))
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        # Each wait has its own limit, and all of them together another: a receiver may send a header every few seconds.
        watch = threading.Timer(WHOLE, connection.cut_off)
        watch.start()
        try:
            connection.request("POST", path, body, dict(headers))
            status = connection.getresponse().status
            if connection.is_cut_off:
                raise TimeoutError
            return status
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{type(error).__name__}: the receiver did not answer.") from error
        finally:
            watch.cancel()
            connection.close()


class _Pinned(http.client.HTTPConnection):
    """Connects to the checked address; with TLS, verified against the host name."""

    def __init__(self, parts: SplitResult, address: str) -> None:
        port = parts.port or PORTS[parts.scheme]
        super().__init__(str(parts.hostname), port, timeout=PATIENCE)
        self.default_port = PORTS[parts.scheme]
        self.is_cut_off = False
        self._address, self._tls = address, parts.scheme == "https"

    def cut_off(self) -> None:
        """End any wait; called from another thread. What was received until then may look like an answer."""
        self.is_cut_off = True
        sock = self.sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._tls:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def _address(parts: SplitResult) -> str:
    port = parts.port or PORTS[parts.scheme]
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unreachable("The host name cannot be resolved.") from error
    addresses = [str(entry[4][0]) for entry in found]
    if not addresses or not all(_allowed(ipaddress.ip_address(one.partition("%")[0])) for one in addresses):
        raise Unreachable(PRIVATE)
    return addresses[0]


def _allowed(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if settings.LOAM_WEBHOOKS_PRIVATE:
        return True
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return _allowed(address.ipv4_mapped)
        if any(address in network for network in EMBEDDING):
            return False
    return address.is_global and not address.is_multicast
