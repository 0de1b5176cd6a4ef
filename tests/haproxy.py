"""HAProxy with the configuration that stands in docs/operations/cells, on ports and cells of a test's own."""

import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError

from django.conf import settings

from tests.servers import free_port

HAPROXY = shutil.which("haproxy") or next((p for p in ("/usr/sbin/haproxy",) if Path(p).exists()), "")
CONFIGURED = Path(settings.BASE_DIR) / "docs" / "operations" / "cells"


@contextmanager
def router(folder: Path, ports: dict[str, int]) -> Iterator[int]:
    """Its port; `ports`: of the cells us1 and eu1, on this machine. 127.0.0.1 is a host that both share."""
    port, config, names = free_port(), folder / "haproxy.cfg", folder / "cells.map"
    text = (CONFIGURED / "haproxy.cfg").read_text().replace("/etc/haproxy/cells.map", str(names))
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    for cell, there in ports.items():
        text = re.sub(rf"(server {cell}web1) \S+ check", rf"\1 127.0.0.1:{there}", text)
    config.write_text(text)
    names.write_text((CONFIGURED / "cells.map").read_text() + "127.0.0.1 any\n")
    process = subprocess.Popen([HAPROXY, "-db", "-f", str(config)], stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 20
        while time.monotonic() < end and process.poll() is None:
            with suppress(OSError):
                try:
                    urllib.request.urlopen(
                        urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Host": "nobody"})
                    )
                except HTTPError as answer:
                    if answer.code == 421:
                        break
            time.sleep(0.05)
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        yield port
    finally:
        process.terminate()
        process.wait(10)
