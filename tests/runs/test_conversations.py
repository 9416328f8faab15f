"""How a run of conversations is stopped by hand."""

import os
import signal
import threading

import pytest

from lawsmith.runs.conversations import stop_on_interrupt


def test_the_first_interrupt_stops_and_the_second_interrupts() -> None:
    # A shell may have started the tests with the signal ignored.
    outside = signal.signal(signal.SIGINT, signal.default_int_handler)
    stop = threading.Event()
    try:
        with stop_on_interrupt(stop):
            os.kill(os.getpid(), signal.SIGINT)
            assert stop.wait(60)
            with pytest.raises(KeyboardInterrupt):
                _interrupt_and_wait()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, outside)


def test_outside_the_main_thread_no_handler_is_set() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def look() -> None:
        with stop_on_interrupt(threading.Event()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [before]


def _interrupt_and_wait() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(60)
