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

# Seconds that a call waits for its turn before it is refused. A question takes 20 to 60 ms; a client gives up after ten
# seconds.
PATIENCE = 8.0
# Seconds between two checks of whether others have finished; one thread of a process checks, the rest wait behind it.
LOOK = 0.001
# The most credentials and callers kept (some 2 MB); beyond that it starts again.
MOST_KEPT = 10_000


@dataclass(eq=False)
class IncomingCall:
    """A call that has arrived: a hash of its credentials, when it came, its caller, and what the caller had used by
    then.

    `caller`: the id of a team, or the negative id of a person who looks at pages; 0 while unknown.
    """

    credentials: int
    came: float
    caller: int = 0
    used: float = 0.0
    # Seconds spent in statements, and the seconds for which it may still wait for others.
    in_statements: float = 0.0
    patience: float = LONGEST
    # When its turn began; 0 if it has none yet.
    began: float = 0.0

    @property
    def has_turn(self) -> bool:
        return self.began > 0


class WaitingCall(NamedTuple):
    """A call that waits for its turn, and the event that wakes it."""

    call: IncomingCall
    turn: threading.Event


class Turns:
    """The calls of one web process."""

    def __init__(self, board: CallBoard | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._board, self._clock = board or CallBoard(), clock
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._pause = threading.Event()  # never set; used to wait by the monotonic clock
        self._under_way: set[IncomingCall] = set()
        self._waiting: deque[WaitingCall] = deque()
        self._here: set[IncomingCall] = set()
        self._used: dict[int, Usage] = {}
        self._callers: dict[int, int] = {}

    # --- coming and going ---------------------------------------------------------------------------------------
    def arrive(self, credentials: int) -> IncomingCall:
        """Return a call that has arrived. From now on calls of heavier callers wait for it, if its credentials are
        known (0: none).
        """
        call = IncomingCall(credentials, self._clock())
        with self._lock:
            if caller := self._callers.get(credentials, 0):
                self._announce(call, caller)
        return call

    def identify(self, call: IncomingCall, caller: int) -> None:
        """Store whose call it is, also for later calls with the same credentials."""
        with self._lock:
            if call.credentials:
                if len(self._callers) >= MOST_KEPT:
                    self._callers.clear()
                self._callers[call.credentials] = caller
            if call.caller != caller:
                self._announce(call, caller)

    def take(self, call: IncomingCall, *, caller: int, most: int) -> bool:
        """Return whether the call may proceed, at once or after waiting. `most` calls run at once, and one of each
        caller.
        """
        self.identify(call, caller)
        mine = WaitingCall(call, threading.Event())
        with self._lock:
            self._waiting.append(mine)
            self._start_waiting(most)
            if mine.turn.is_set():
                return True
        if not connection.in_atomic_block:
            connection.close()  # back into the pool: a waiting call must not hold what others need
        until = self._clock() + PATIENCE
        while not mine.turn.wait(min(QUICK, PATIENCE)):
            with self._lock:
                self._start_waiting(most)  # in case one of the few takes long
                if not mine.turn.is_set() and self._clock() >= until:
                    self._waiting.remove(mine)
                    return False
        return True

    def leave(self, call: IncomingCall, *, seconds: float = 0.0, most: int = 1) -> None:
        """Record that the call has ended and used this many seconds of CPU; the next waiting calls proceed."""
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
        """Record that the call is answered or its client has disconnected: nobody waits for it any more."""
        with self._lock:
            self._withdraw(call, self._clock())

    def _withdraw(self, call: IncomingCall, now: float) -> None:
        if call in self._here:
            self._here.discard(call)
            self._publish(now)

    def _start_waiting(self, most: int) -> None:
        """Start the waiting calls that may run, in order."""
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
        """Publish the lightest call to all processes."""
        passing = (call for call in self._here if call.came + PASSING > now)
        call = min(passing, key=lambda call: call.used, default=None)
        if call is None:
            self._board.write(0.0, 0.0, 0)
        else:
            self._board.write(call.came + PASSING, call.used, call.caller)

    def let_pass(self, call: IncomingCall) -> None:
        """Wait while a call of a much lighter caller runs on this machine, for at most a second in total per call."""
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
    """Wraps each statement of a call: it first lets lighter calls pass, and counts the time as the caller's use."""

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
