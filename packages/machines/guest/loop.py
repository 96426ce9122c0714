"""An epoll loop with one callback per file descriptor, which is called with the events that occurred."""
import os
import select
import sys

READ, WRITE, GONE = select.EPOLLIN, select.EPOLLOUT, select.EPOLLHUP | select.EPOLLERR


class Loop:
    def __init__(self):
        self._epoll = select.epoll()
        self._callbacks = {}

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

    def close(self, fd):
        self.forget(fd)
        os.close(fd)

    def run(self):
        while True:
            for fd, events in self._epoll.poll():
                callback = self._callbacks.get(fd)
                if callback is None:
                    continue
                try:
                    callback(events)
                except Exception:
                    import traceback  # Rarely needed, and slow to load.
                    traceback.print_exc(file=sys.stderr)
                    self.forget(fd)
