"""Waits for what must come to be true. This is the only place where a test sleeps, and never as a way to order
events."""
import time

# No condition needs nearly as long, even with a sanitizer on a busy machine: this only bounds a test that has failed.
LIMIT_S = 60.0


def eventually(probe, what, limit=LIMIT_S):
    """Returns the first value of `probe()` that is true. Fails with `what` and the last value when none ever is."""
    end = time.monotonic() + limit
    pause = 0.005
    while True:
        value = probe()
        if value:
            return value
        assert time.monotonic() < end, f"this never came to be: {what} (last seen: {value!r})"
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
