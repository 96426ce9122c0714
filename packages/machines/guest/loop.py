"""An epoll loop with one callback per file descriptor, which is called with the events that occurred, and timers."""
import heapq
import os
import select
import sys
import time

READ, WRITE, GONE = select.EPOLLIN, select.EPOLLOUT, select.EPOLLHUP | select.EPOLLERR


class Loop:
    def __init__(self):
        self._epoll = select.epoll()
        self._callbacks = {}
        self._forgotten = set()
        self._timers = []

    def watch(self, fd, events, callback):
        """With zero events, the callback is still called when the other side disconnects."""
        if fd in self._callbacks:
            self._epoll.modify(fd, events)
        else:
            self._epoll.register(fd, events)
        self._callbacks[fd] = callback

    def forget(self, fd):
        if self._callbacks.pop(fd, None) is not None:
            self._epoll.unregister(fd)
            self._forgotten.add(fd)

    def close(self, fd):
        self.forget(fd)
        os.close(fd)

    def after(self, seconds, callback):
        """Calls the callback once, unless the timer that is returned is cancelled before."""
        timer = Timer(time.monotonic() + seconds, callback)
        heapq.heappush(self._timers, timer)
        return timer

    def run(self):
        while True:
            happened = self._epoll.poll(self._until_next_timer() if self._timers else None)
            self._forgotten.clear()
            for fd, events in happened:
                callback = self._callbacks.get(fd)
                # An earlier callback may have closed the descriptor, whose number another one has now.
                if callback is None or fd in self._forgotten:
                    continue
                try:
                    callback(events)
                except Exception:
                    report()
                    self.forget(fd)

    def _until_next_timer(self):
        """Calls what is due, and returns in how many seconds the next timer is."""
        timers = self._timers
        while timers:
            if timers[0].callback is not None:
                left = timers[0].due - time.monotonic()
                if left > 0:
                    return left
            callback = heapq.heappop(timers).callback
            try:
                if callback is not None:
                    callback()
            except Exception:
                report()
        return None


class Timer:
    __slots__ = ('due', 'callback')

    def __init__(self, due, callback):
        self.due, self.callback = due, callback

    def __lt__(self, other):
        return self.due < other.due

    def cancel(self):
        self.callback = None


def report():
    import traceback  # Rarely needed, and slow to load.
    traceback.print_exc(file=sys.stderr)
