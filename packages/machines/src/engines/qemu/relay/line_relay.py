"""Passes requests of any number of connections on to one that takes them in turn, and the answers back. A request is a line of JSON
with a command that is allowed, and an answer a line with the same `id`."""
import json

from listen import listen
from loop import READ, WRITE

LINE_LIMIT = 4 << 20
# What may wait until the other side takes it, from one connection or for it.
HELD_LIMIT = 16 << 20


class Line:
    """Reads lines from a socket, and writes some to it without blocking."""

    def __init__(self, loop, connection, on_line, on_end):
        self._loop, self._socket, self._on_line, self._on_end = loop, connection, on_line, on_end
        self._read, self._held, self._ended = bytearray(), bytearray(), False
        connection.setblocking(False)
        loop.watch(connection.fileno(), READ, self._happened)

    def send(self, message):
        self._held += json.dumps(message).encode() + b'\n'
        if len(self._held) > HELD_LIMIT:
            self.end()
        elif not self._ended:
            self._flush()

    def end(self):
        if not self._ended:
            self._ended = True
            self._loop.forget(self._socket.fileno())
            self._socket.close()
            self._on_end()

    def _flush(self):
        try:
            del self._held[:self._socket.send(self._held)]
        except BlockingIOError:
            pass
        except OSError:
            self.end()
            return
        self._loop.watch(self._socket.fileno(), READ | WRITE if self._held else READ, self._happened)

    def _happened(self, events):
        if events & WRITE and self._held:
            self._flush()
        if self._ended or not events & ~WRITE:
            return
        try:
            chunk = self._socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            chunk = b''
        self._read += chunk
        if not chunk or len(self._read) > LINE_LIMIT:
            self.end()
            return
        *lines, self._read = self._read.split(b'\n')
        for line in lines:
            if not self._ended:
                self._received(line)

    def _received(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            return
        if isinstance(message, dict):
            self._on_line(message)


class LineRelay:
    def __init__(self, loop, path, upstream, allowed=None, first=None):
        self._loop, self._allowed, self._last, self._asked = loop, allowed, 0, {}
        self._upstream = Line(loop, upstream, self._answered, lambda: None)
        if first:
            self._upstream.send({'execute': first})
        listen(loop, path, self._accepted)

    def _accepted(self, connection):
        client = Line(self._loop, connection, lambda message: self._requested(client, message), lambda: self._gone(client))

    def _requested(self, client, message):
        own = message.pop('id', None)
        if self._allowed is not None and message.get('execute') not in self._allowed:
            client.send({'id': own, 'error': {'class': 'GenericError', 'desc': 'this command is not allowed'}})
            return
        self._last += 1
        self._asked[self._last] = client, own
        self._upstream.send({**message, 'id': self._last})

    def _answered(self, message):
        """Greetings and events are answers to nothing."""
        client, own = self._asked.pop(message.pop('id', None), (None, None))
        if client:
            client.send({**message, 'id': own})

    def _gone(self, client):
        self._asked = {number: asked for number, asked in self._asked.items() if asked[0] is not client}
