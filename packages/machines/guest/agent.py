"""Process 1 of a machine. It accepts connections immediately, but loads the code that serves them only on the
first connection, because until then the desktop is starting and needs the processor more. The built-in
_socket is available without loading anything."""
import os
import sys

import _socket
import select

PATH = '/run/sandglass/sockets/agent'
# The service connects once the desktop is ready. If it does not, this continues anyway, so that a desktop which
# failed is restarted.
FIRST_CONNECTION_TIMEOUT_MS = 2000

listener = _socket.socket(_socket.AF_UNIX)
listener.bind(PATH + '.new')
os.chmod(PATH + '.new', 0o600)
listener.listen(4096)
# The name appears only once connections are accepted.
os.rename(PATH + '.new', PATH)

first = select.poll()
first.register(listener.fileno(), select.POLLIN)
first.poll(FIRST_CONNECTION_TIMEOUT_MS)

sys.path.insert(0, os.path.dirname(__file__))
import socket  # noqa: E402
from server import Agent  # noqa: E402

listener = socket.socket(fileno=listener.detach())
listener.setblocking(False)
Agent(listener, sys.argv[1], int(sys.argv[2])).run()
