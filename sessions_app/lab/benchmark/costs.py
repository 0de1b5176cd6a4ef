"""What an answer costs beside its time: processor of the web process and of the database, and what lies on disk."""

from dataclasses import dataclass

from django.db import connection

from sessions_app.adapters import bulk
from sessions_app.adapters.web import WebServer, processor_seconds

MB = 1_000_000


@dataclass(frozen=True)
class ProcessorTime:
    """Seconds that a web process and the connections to its database have used so far."""

    web: float
    database: float

    @classmethod
    def of(cls, server: WebServer, database: str = "") -> "ProcessorTime":
        pids = bulk.backends(database or str(connection.settings_dict["NAME"]))
        return cls(server.processor_seconds(), sum(processor_seconds(pid) for pid in pids))

    def since(self, before: "ProcessorTime", requests: int) -> dict[str, float]:
        """Milliseconds of each for one request; 0 where they cannot be told."""
        return {
            "web_ms": round(1000 * (self.web - before.web) / requests, 2),
            "database_ms": round(1000 * max(self.database - before.database, 0.0) / requests, 2),
        }


def disk() -> dict[str, float]:
    """Megabytes of the database, of the insights' table with what belongs to it, and of each of its indexes."""
    return {name: round(size / MB, 1) for name, size in bulk.sizes("knowledge_insight").items()}
