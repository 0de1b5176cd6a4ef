"""Several acts at the same moment, each on a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import Any

import anyio
from django.db import connection

# Nothing here takes seconds; a deadlock should fail the test, not hang it.
PATIENCE = 30.0


def apart(act: Callable[..., Any], *given: Any) -> Any:
    """Run a coroutine function to its end on a thread of its own: this one may have a loop already (Playwright's)."""
    with ThreadPoolExecutor(1) as one:
        return one.submit(anyio.run, act, *given).result()


def together(*acts: Callable[[], Any]) -> list[Any]:
    """Start all at once in threads; what each returned or raised, in their order. Needs `transactional_db`."""
    done: list[Any] = [TimeoutError("it never came back")] * len(acts)
    barrier = Barrier(len(acts))

    def run(place: int, act: Callable[[], Any]) -> None:
        barrier.wait(PATIENCE)
        try:
            done[place] = act()
        except Exception as error:
            done[place] = error
        finally:
            connection.close()

    threads = [Thread(target=run, args=(place, act), daemon=True) for place, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return done
