"""Process 1 of a machine. It takes connections at once, and loads the code that serves them when the first has come:
until then the desktop starts, and needs the processor more. The bare _socket is there without loading anything."""
import os
import sys

import _socket
import select

PATH = '/run/sandglass/sockets/agent'
# The service connects when the desktop is up. Without that, a desktop which failed is to be started anew.
PATIENCE_MS = 2000

listener = _socket.socket(_socket.AF_UNIX)
listener.bind(PATH + '.new')
os.chmod(PATH + '.new', 0o600)
listener.listen(4096)
# The name appears only when connections are taken.
os.rename(PATH + '.new', PATH)

first = select.poll()
first.register(listener.fileno(), select.POLLIN)
first.poll(PATIENCE_MS)

sys.path.insert(0, os.path.dirname(__file__))
import socket  # noqa: E402
from server import Agent  # noqa: E402

listener = socket.socket(fileno=listener.detach())
listener.setblocking(False)
Agent(listener, sys.argv[1], int(sys.argv[2])).run()
