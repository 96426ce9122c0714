"""The end of a machine's channel: connects the streams that the host opens to sockets in the machine. The argument is
the port, if it is not the usual one, or - for standard input and output, or --listen and the path of a socket, each of
whose connections is such an end."""
import os
import resource
import socket
import sys

sys.path.insert(0, os.path.dirname(__file__))
from acceptor import Acceptor  # noqa: E402
from loop import READ, Loop  # noqa: E402
from pump import Pump  # noqa: E402
from succession import Succession  # noqa: E402

PORT = '/dev/virtio-ports/org.sandglass.channel'
TARGETS = {
    'agent': '/run/sandglass/sockets/agent',
    'rfb': '/run/sandglass/sockets/rfb',
    'x11': '/tmp/.X11-unix/X0',
}
# How often, and how long in seconds, a socket is tried whose queue of connections is full.
TRIES, PAUSE = 100, 0.05


class Channel:
    def __init__(self, loop, targets):
        self._loop, self._targets = loop, targets

    def opened(self, stream):
        path = self._targets.get(stream.target)
        if path is None:
            stream.refuse('there is no target "%s"; there are %s' % (stream.target, ', '.join(sorted(self._targets))))
        else:
            self._connect(stream, path, TRIES)

    def _connect(self, stream, path, tries):
        connection = None
        try:
            connection = socket.socket(socket.AF_UNIX)
            connection.setblocking(False)
            connection.connect(path)
        except OSError as error:
            if connection is not None:
                connection.close()
            if not isinstance(error, BlockingIOError):
                stream.refuse('%s: %s' % (path, error.strerror))
            elif tries == 1:
                stream.refuse('%s: it accepts no connections' % path)
            else:
                self._loop.after(PAUSE, lambda: self._connect(stream, path, tries - 1))
        else:
            stream.accept(connection)


def listen(loop, path, opened):
    listener = socket.socket(socket.AF_UNIX)
    # Only root may connect from the moment on at which the name appears.
    os.umask(0o077)
    listener.bind(path)
    listener.listen()
    listener.setblocking(False)
    succession = Succession()

    def start(connection, on_end):
        return Acceptor(loop, connection.detach(), opened, on_end)

    def accept(events):
        try:
            connection, name = listener.accept()
        except OSError:
            return
        succession.begin(name, connection, start)

    loop.watch(listener.fileno(), READ, accept)


if __name__ == '__main__':
    port = sys.argv[1] if len(sys.argv) > 1 else PORT
    loop = Loop()
    # Each stream has a socket.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    opened = Channel(loop, TARGETS).opened
    if port == '--listen':
        listen(loop, sys.argv[2], opened)
    elif port == '-':
        ours, theirs = socket.socketpair()
        Pump(loop, 0, os.dup(theirs.fileno()), True)
        Pump(loop, theirs.detach(), 1, False)
        Acceptor(loop, ours.detach(), opened, lambda reason: os._exit(0))
    else:
        Acceptor(loop, os.open(port, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC), opened)
    loop.run()
