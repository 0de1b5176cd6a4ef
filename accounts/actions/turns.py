"""Keep callers of one machine out of each other's way: whose call goes next, and whose waits at its next statement.

A rate limit bounds what a team uses in a minute. It does not keep sixteen calls of one team at once from sharing a
process with one call of another, which then takes many times as long. Two things do:

- at most so many calls of agents are under way in a process, two of a team that keeps it busy, and one of each team
  always: of those that wait, the first of the team that has the fewest under way, and has used the least, goes next;
- a call of somebody who used little is let pass (rules/fair_share.py): calls of those who used much wait before their
  next statement, in all web processes of the machine, until it is answered. Of a question that is a millisecond or
  two away. Within a transaction nothing waits, as it may hold what the other needs.

A team that is alone has all turns, and waits for nobody.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from accounts.adapters.call_board import CallBoard
from accounts.rules.fair_share import LONGEST, PASSING, QUICK, Usage, gives_way, most_at_once

# Seconds that a call waits for its turn before it is refused. A question takes 20 to 60 ms; a client gives up after
# ten seconds.
PATIENCE = 8.0
# Seconds between two looks whether others have passed; one thread of a process looks, the rest wait behind it.
LOOK = 0.001
# Credentials and callers that are kept, some 2 MB; beyond, it begins again.
MOST_KEPT = 10_000


@dataclass(eq=False)
class IncomingCall:
    """A call that has come: by which credentials (a hash of them), when, whose, and what that one had used by then.

    `caller`: the id of a team, or that of a person who looks at pages, negative; 0 while nobody knows.
    """

    credentials: int
    came: float
    caller: int = 0
    used: float = 0.0
    # Seconds in statements, and those for which it may still let others pass.
    in_statements: float = 0.0
    patience: float = LONGEST
    # When its turn began; 0 while it has none.
    began: float = 0.0

    @property
    def has_turn(self) -> bool:
        return self.began > 0


class WaitingCall(NamedTuple):
    """A call that waits for its turn, and what it is woken by."""

    call: IncomingCall
    turn: threading.Event


class Turns:
    """The calls of one web process."""

    def __init__(self, board: CallBoard | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._board, self._clock = board or CallBoard(), clock
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._pause = threading.Event()  # never set; it waits by the clock that nobody sets
        self._under_way: set[IncomingCall] = set()
        self._waiting: deque[WaitingCall] = deque()
        self._here: set[IncomingCall] = set()
        self._used: dict[int, Usage] = {}
        self._callers: dict[int, int] = {}

    # --- coming and going ---------------------------------------------------------------------------------------
    def arrive(self, credentials: int) -> IncomingCall:
        """Return a call that has come. Those who used much let it pass from now on, if its credentials are known (0: of
        none).
        """
        call = IncomingCall(credentials, self._clock())
        with self._lock:
            if caller := self._callers.get(credentials, 0):
                self._announce(call, caller)
        return call

    def identify(self, call: IncomingCall, caller: int) -> None:
        """Note whose call it is, for those to come by the same credentials as well."""
        with self._lock:
            if call.credentials:
                if len(self._callers) >= MOST_KEPT:
                    self._callers.clear()
                self._callers[call.credentials] = caller
            if call.caller != caller:
                self._announce(call, caller)

    def take(self, call: IncomingCall, *, caller: int, most: int) -> bool:
        """Whether the call may go on, at once or after it has waited: `most` are under way, and one of each caller."""
        self.identify(call, caller)
        mine = WaitingCall(call, threading.Event())
        with self._lock:
            self._waiting.append(mine)
            self._start_waiting(most)
            if mine.turn.is_set():
                return True
        if not connection.in_atomic_block:
            connection.close()  # back into the pool: a call that waits holds nothing that others need
        until = self._clock() + PATIENCE
        while not mine.turn.wait(min(QUICK, PATIENCE)):
            with self._lock:
                self._start_waiting(most)  # where one of the few takes long
                if not mine.turn.is_set() and self._clock() >= until:
                    self._waiting.remove(mine)
                    return False
        return True

    def leave(self, call: IncomingCall, *, seconds: float = 0.0, most: int = 1) -> None:
        """The call has ended, and used so many seconds of processor: the next ones that wait go on."""
        now = self._clock()
        with self._lock:
            if call.caller:
                self._charge(call.caller, seconds + call.in_statements, now)
            self._withdraw(call, now)
            if call in self._under_way:
                self._under_way.discard(call)
                call.began = 0.0
                self._start_waiting(most)

    def withdraw(self, call: IncomingCall) -> None:
        """The call is answered, or its client has gone: nobody lets it pass any more."""
        with self._lock:
            self._withdraw(call, self._clock())

    def _withdraw(self, call: IncomingCall, now: float) -> None:
        if call in self._here:
            self._here.discard(call)
            self._publish(now)

    def _start_waiting(self, most: int) -> None:
        """Give those their turn that may have it, in their order."""
        now = self._clock()
        while may := [waiting for waiting in self._waiting if self._may_start(waiting.call, most, now)]:
            one = min(may, key=lambda waiting: (len(self._of(waiting.call.caller)), waiting.call.used))
            self._waiting.remove(one)
            one.call.began = now
            self._under_way.add(one.call)
            one.turn.set()

    def _may_start(self, call: IncomingCall, most: int, now: float) -> bool:
        mine = self._of(call.caller)
        if not mine:
            return True
        quick = sum(now - one.began < QUICK for one in mine)
        return len(self._under_way) < most and quick < most_at_once(call.used, most)

    def _of(self, caller: int) -> list[IncomingCall]:
        return [one for one in self._under_way if one.caller == caller]

    def _charge(self, caller: int, seconds: float, now: float) -> None:
        if len(self._used) >= MOST_KEPT:
            self._used.clear()
        self._used[caller] = self._used.get(caller, Usage()).more(seconds, now)

    # --- letting others pass ------------------------------------------------------------------------------------
    def _announce(self, call: IncomingCall, caller: int) -> None:
        now = self._clock()
        call.caller, call.used = caller, self._used.get(caller, Usage()).faded(now)
        self._here.add(call)
        self._publish(now)

    def _publish(self, now: float) -> None:
        """Tell all processes of the lightest call that is to be let pass."""
        passing = (call for call in self._here if call.came + PASSING > now)
        call = min(passing, key=lambda call: call.used, default=None)
        if call is None:
            self._board.write(0.0, 0.0, 0)
        else:
            self._board.write(call.came + PASSING, call.used, call.caller)

    def let_pass(self, call: IncomingCall) -> None:
        """Wait while somebody is under way on this machine who used much less; a second in all for one call."""
        if call.patience <= 0 or not self._has_lighter(call):
            return
        began = self._clock()
        if self._looking.acquire(timeout=call.patience):
            try:
                while self._has_lighter(call) and self._clock() - began < call.patience:
                    self._pause.wait(LOOK)
            finally:
                self._looking.release()
        call.patience -= self._clock() - began

    def _has_lighter(self, call: IncomingCall) -> bool:
        if not gives_way(call.used, 0.0):
            return False
        now = self._clock()
        return any(
            until > now and caller != call.caller and gives_way(call.used, used)
            for until, used, caller in self._board.read()
        )


turns = Turns(CallBoard.of_this_machine())


class BeforeStatements:
    """Around each statement of a call: before it others pass, and its time is the caller's use."""

    def __init__(self, call: IncomingCall, of: Turns) -> None:
        self._call, self._turns = call, of

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        if not context["connection"].in_atomic_block:
            self._turns.let_pass(self._call)
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self._call.in_statements += time.perf_counter() - began
