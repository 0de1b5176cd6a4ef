"""Callers of one machine: whose call goes next, and whose waits at its next statement."""

import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from accounts.actions.turns import BeforeStatements, IncomingCall, Turns
from accounts.adapters.call_board import CallBoard
from accounts.middleware import TakesTurns
from accounts.rules.fair_share import LONGEST, PASSING
from tests.config.running import wait_until

HEAVY, LIGHT = 1, 2
# What credentials are known by.
OF_HEAVY, OF_LIGHT = 11, 22


class Clock:
    """Stands still until it is put on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def used(turns: Turns, caller: int, seconds: float, credentials: int = 0) -> None:
    """The caller has used so much."""
    call = turns.arrive(credentials)
    turns.identify(call, caller)
    turns.leave(call, seconds=seconds)


def heavy_call(turns: Turns) -> IncomingCall:
    used(turns, HEAVY, 10.0, OF_HEAVY)
    call = turns.arrive(OF_HEAVY)
    assert call.caller == HEAVY and call.used >= 10.0
    return call


def lets_pass(turns: Turns, call: IncomingCall) -> threading.Thread:
    """It comes to its next statement, in a thread."""
    thread = threading.Thread(target=turns.let_pass, args=(call,), daemon=True)
    thread.start()
    return thread


class TestAHeavyCall:
    def test_waits_until_a_light_one_is_answered(self, clock: Clock) -> None:
        turns = Turns(clock=clock)
        heavy = heavy_call(turns)
        used(turns, LIGHT, 0.1, OF_LIGHT)
        light = turns.arrive(OF_LIGHT)
        waiting = lets_pass(turns, heavy)
        waiting.join(0.05)
        assert waiting.is_alive()
        turns.withdraw(light)
        waiting.join(5)
        assert not waiting.is_alive()

    def test_waits_for_one_of_another_process(self, clock: Clock) -> None:
        board = CallBoard()
        turns = Turns(board, clock)
        heavy = heavy_call(turns)
        board.write(clock.now + 0.1, 0.5, LIGHT)
        waiting = lets_pass(turns, heavy)
        waiting.join(0.05)
        assert waiting.is_alive()
        clock.now += 0.2  # that process was killed
        waiting.join(5)
        assert not waiting.is_alive()

    def test_waits_for_no_longer_than_a_call_is_let_pass(self, clock: Clock) -> None:
        turns = Turns(clock=clock)
        heavy = heavy_call(turns)
        used(turns, LIGHT, 0.1, OF_LIGHT)
        turns.arrive(OF_LIGHT)
        clock.now += PASSING + 0.01
        turns.let_pass(heavy)
        assert heavy.patience == LONGEST

    def test_waits_for_so_long_in_all(self, clock: Clock) -> None:
        """However many light ones come, it is answered."""
        turns = Turns(clock=clock)
        heavy = heavy_call(turns)
        used(turns, LIGHT, 0.1, OF_LIGHT)
        passes = 0
        while heavy.patience > 0:
            turns.withdraw(light := turns.arrive(OF_LIGHT))
            light = turns.arrive(OF_LIGHT)
            waiting = lets_pass(turns, heavy)
            wait_until(turns._looking.locked)
            clock.now += PASSING - 0.01
            turns.withdraw(light)
            waiting.join(5)
            passes += 1
        assert passes == 4  # of .29 seconds, one in all
        turns.arrive(OF_LIGHT)
        turns.let_pass(heavy)

    def test_does_not_wait_for_its_own_team_nor_for_one_that_used_as_much(self, clock: Clock) -> None:
        turns = Turns(clock=clock)
        heavy = heavy_call(turns)
        turns.arrive(OF_HEAVY)
        used(turns, LIGHT, 6.0, OF_LIGHT)
        turns.arrive(OF_LIGHT)
        turns.let_pass(heavy)
        assert heavy.patience == LONGEST

    @pytest.mark.django_db
    def test_waits_before_its_statements_but_not_within_a_transaction(
        self, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        turns = Turns(clock=clock)
        waited: list[IncomingCall] = []
        monkeypatch.setattr(turns, "let_pass", waited.append)
        call = heavy_call(turns)
        before = BeforeStatements(call, turns)

        def execute(*_: Any) -> str:
            return "rows"

        class Outside:
            in_atomic_block = False

        assert before(execute, "SELECT 1", None, False, {"connection": Outside()}) == "rows"
        assert waited == [call]
        with transaction.atomic(), connection.execute_wrapper(before), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        assert waited == [call]
        assert call.in_statements > 0

    @pytest.mark.django_db
    def test_waits_outside_of_what_measures_statements(self, monkeypatch: pytest.MonkeyPatch) -> None:
        order: list[str] = []

        def view(request: HttpRequest) -> HttpResponse:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            return HttpResponse()

        def clock(execute: Any, *given: Any) -> Any:
            order.append("measured")
            return execute(*given)

        def before(self: BeforeStatements, execute: Any, *given: Any) -> Any:
            order.append("others pass")
            return execute(*given)

        monkeypatch.setattr(BeforeStatements, "__call__", before)
        with connection.execute_wrapper(clock):
            TakesTurns(view)(RequestFactory().get("/"))
            assert connection.execute_wrappers == [clock]
        assert order == ["others pass", "measured"]


class TestALightCall:
    def test_waits_for_nobody(self, clock: Clock) -> None:
        turns = Turns(clock=clock)
        heavy_call(turns)
        used(turns, LIGHT, 0.1, OF_LIGHT)
        light = turns.arrive(OF_LIGHT)
        turns.let_pass(light)
        assert light.patience == LONGEST

    def test_is_told_with_the_first_call_of_its_credentials_once_somebody_has_looked(self, clock: Clock) -> None:
        board = CallBoard()
        turns = Turns(board, clock)
        call = turns.arrive(OF_LIGHT)
        assert list(board.read()) == [(0.0, 0.0, 0)]
        turns.identify(call, LIGHT)
        assert list(board.read()) == [(clock.now + PASSING, 0.0, LIGHT)]
        turns.leave(call, seconds=0.1)
        assert list(board.read()) == [(0.0, 0.0, 0)]
        turns.arrive(OF_LIGHT)
        assert list(board.read()) == [(clock.now + PASSING, 0.1, LIGHT)]

    def test_is_told_rather_than_a_heavy_one(self, clock: Clock) -> None:
        board = CallBoard()
        turns = Turns(board, clock)
        used(turns, LIGHT, 0.1, OF_LIGHT)
        heavy_call(turns)
        light = turns.arrive(OF_LIGHT)
        heavy_call(turns)
        assert [caller for *_, caller in board.read()] == [LIGHT]
        turns.withdraw(light)
        assert [caller for *_, caller in board.read()] == [HEAVY]

    def test_without_credentials_is_nobodys(self, clock: Clock) -> None:
        turns = Turns(clock=clock)
        used(turns, LIGHT, 0.1, credentials=0)
        assert turns.arrive(0).caller == 0
