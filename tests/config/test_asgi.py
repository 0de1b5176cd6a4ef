import subprocess
import sys
from types import SimpleNamespace
from typing import Any

from config.asgi import noticing_who_leaves
from knowledge.evidence.serializers import disconnect_check
from tests.together import apart


class TestNoticingWhoLeaves:
    def test_tells_whoever_holds_the_scope(self) -> None:
        """The flag is set by the disconnect message, and by nothing before it."""
        messages = [{"type": "http.request"}, {"type": "http.disconnect"}]
        seen: list[bool] = []

        async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
            request: Any = SimpleNamespace(scope=scope)
            left = disconnect_check(request)
            seen.append(left())
            for _ in range(2):
                await receive()
                seen.append(left())

        async def receive() -> dict[str, Any]:
            return messages.pop(0)

        async def send(message: dict[str, Any]) -> None:
            pass

        apart(noticing_who_leaves(app), {"type": "http"}, receive, send)
        assert seen == [False, False, True]

    def test_is_not_missed_where_there_is_no_such_connection(self) -> None:
        request: Any = SimpleNamespace()
        assert disconnect_check(request)() is False


class TestTheApplication:
    def test_does_without_what_only_the_worker_needs(self) -> None:
        """SciPy alone is 30 MB of each web process (knowledge/topics/rules/clustering.py)."""
        code = "import sys; import config.asgi, config.urls; print(*{'scipy', 'sklearn', 'torch'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.split() == []
