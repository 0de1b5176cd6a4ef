"""The shared cache in Redis; while that is away, attempts to sign in are counted by each process for itself.

Nobody could sign in otherwise. Everything else that asks the cache is told that it is away, and knows what to do: a
position in the log of the primary that one process remembers would be wrong for the others (middleware/replica.py).
"""

from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

# How allauth names what it counts.
ATTEMPTS = "allauth:"


class FallbackRedisCache(RedisCache):
    """Redis, with counts of attempts in this process while it is away."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._own = LocMemCache("attempts", params)

    def add(self, key: Any, *given: Any, **named: Any) -> Any:
        return self._ask(super().add, self._own.add, key, *given, **named)

    def get(self, key: Any, *given: Any, **named: Any) -> Any:
        return self._ask(super().get, self._own.get, key, *given, **named)

    def set(self, key: Any, *given: Any, **named: Any) -> Any:
        return self._ask(super().set, self._own.set, key, *given, **named)

    def delete(self, key: Any, *given: Any, **named: Any) -> Any:
        return self._ask(super().delete, self._own.delete, key, *given, **named)

    def _ask(self, shared: Callable[..., Any], own: Callable[..., Any], key: Any, *given: Any, **named: Any) -> Any:
        try:
            return shared(key, *given, **named)
        except RedisError:
            if not str(key).startswith(ATTEMPTS):
                raise
            return own(key, *given, **named)
