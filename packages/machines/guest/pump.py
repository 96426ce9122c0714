"""Moves bytes one way between two descriptors that it owns, holding at most one chunk."""
import os
import socket

from loop import GONE, READ, WRITE

CHUNK = 256 * 1024


class Pump:
    def __init__(self, loop, source, sink, sink_is_socket):
        self._loop, self._source, self._sink, self._sink_is_socket = loop, source, sink, sink_is_socket
        self._held = b''
        os.set_blocking(source, False)
        os.set_blocking(sink, False)
        loop.watch(source, READ, self._readable)
        loop.watch(sink, 0, self._writable)

    def _readable(self, events):
        try:
            chunk = os.read(self._source, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            # A terminal whose last program has ended answers with an error, not with an end.
            chunk = b''
        if not chunk:
            self._end()
            return
        self._held = chunk
        # Mostly it goes out at once, and nothing has to be watched otherwise.
        if self._flush() and self._held:
            self._loop.watch(self._source, 0, self._source_gone)
            self._loop.watch(self._sink, WRITE, self._writable)

    def _writable(self, events):
        if events & GONE and not events & WRITE:
            self._abandon()
        elif self._held and self._flush() and not self._held:
            self._loop.watch(self._source, READ, self._readable)
            self._loop.watch(self._sink, 0, self._writable)

    def _flush(self):
        """False when the sink is gone."""
        try:
            self._held = self._held[os.write(self._sink, self._held):]
        except BlockingIOError:
            pass
        except OSError:
            self._abandon()
            return False
        return True

    def _source_gone(self, events):
        """What is held still has to go out; the end of the source is read after it."""
        self._loop.forget(self._source)

    def _end(self):
        if self._sink_is_socket:
            try:
                socket.socket(fileno=os.dup(self._sink)).shutdown(socket.SHUT_WR)
            except OSError:
                pass
        self._abandon()

    def _abandon(self):
        self._loop.close(self._source)
        self._loop.close(self._sink)


def join(loop, one, other):
    """Both ways between two sockets, each half closing by itself."""
    a, b = one.detach(), other.detach()
    Pump(loop, os.dup(a), os.dup(b), True)
    Pump(loop, b, a, True)
