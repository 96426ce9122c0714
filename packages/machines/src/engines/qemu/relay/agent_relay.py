"""Gives a machine with our agent the sockets that a container's own programs would have: each connection becomes a stream over the
only port of the guest."""
import os
import sys

from listen import listen
from opener import Opener

SOCKETS = {
    'agent': '/run/sandglass/sockets/agent',
    'rfb': '/run/sandglass/sockets/rfb',
    'x11': '/run/sandglass/x11/X0',
}
# The guest answers when it has booted, which may take minutes where it is emulated on a busy host.
GREETING, ANSWER = 86400, 30
# How long until a guest whose program has failed is greeted again, in seconds.
PAUSE = 0.2


class AgentRelay:
    def __init__(self, loop, port):
        self._loop, self._port = loop, port
        self._session, self._is_bound = None, False
        self._greet()

    def _greet(self):
        self._session = Opener(self._loop, os.dup(self._port.fileno()), self._bind, self._lost, GREETING)

    def _lost(self, reason):
        print(reason, file=sys.stderr)
        self._loop.after(PAUSE, self._greet)

    def _bind(self):
        """The sockets appear when the guest has answered for the first time."""
        if not self._is_bound:
            self._is_bound = True
            for target, path in SOCKETS.items():
                listen(self._loop, path, lambda connection, target=target: self._open(connection, target))

    def _open(self, connection, target):
        try:
            self._session.open(target, lambda stream: stream.join(connection), lambda reason: connection.close(), ANSWER)
        except ValueError:
            connection.close()
