"""The web under gunicorn, for anyone who has it everywhere, instead of `manage.py serve --no-worker --no-beat`:

    pip install gunicorn==27.0.1 uvicorn-worker==0.4.0
    gunicorn -c docs/operations/gunicorn.conf.py

In the folder of manage.py, with the settings and the environment of systemd/loam-web.service. Its workers end as those
of `serve` do (config/processes/web.py), and answer `/metrics` as one. Plain `gunicorn -k asgi config.asgi:application`
serves as well, and now and then cuts a request off when it ends.
"""

import os
import sys
import tempfile

from gunicorn.arbiter import Arbiter
from uvicorn_worker import UvicornWorker

from config.processes.web import KEEP_ALIVE, Connection, Web, warm_up

# Where each worker keeps its counts; made by the master, before it forks.
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="loam-metrics-"))


class Worker(UvicornWorker):
    CONFIG_KWARGS = {
        "loop": "uvloop",
        "http": Connection,
        "proxy_headers": False,
        "access_log": False,
        "timeout_graceful_shutdown": 1,
    }

    async def _serve(self) -> None:
        self.config.app = self.wsgi
        server = Web(self.config, first=warm_up)
        self._install_sigquit_handler()
        await server.serve(sockets=self.sockets)
        if not server.started:
            sys.exit(Arbiter.WORKER_BOOT_ERROR)


wsgi_app = "config.asgi:application"
worker_class = Worker
bind = "127.0.0.1:8000"
workers = 2
backlog = 512
keepalive = KEEP_ALIVE
# Longer than the end takes.
graceful_timeout = 15
