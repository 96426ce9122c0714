"""Process 1 of a machine. It takes connections before it loads the code that serves them, because X starts meanwhile."""
import os
import socket
import sys

PATH = '/run/sandglass/sockets/agent'

listener = socket.socket(socket.AF_UNIX)
listener.bind(PATH + '.new')
os.chmod(PATH + '.new', 0o600)
listener.listen(4096)
listener.setblocking(False)
# The name appears only when connections are taken.
os.rename(PATH + '.new', PATH)

sys.path.insert(0, os.path.dirname(__file__))
from server import Agent  # noqa: E402

Agent(listener, sys.argv[1], int(sys.argv[2])).run()
