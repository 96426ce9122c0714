"""Process 1 of a machine. In a container it loads while the window manager does, so that it can answer as soon as the desktop is
ready, or before there is a desktop, and waits for a machine. In a virtual machine there is no desktop yet either, and the only way in
is a port that carries many streams."""
import os
import socket
import sys

sys.path.insert(0, os.path.dirname(__file__))
from server import Agent  # noqa: E402

PATH = '/run/sandglass/sockets/agent'

listener = socket.socket(socket.AF_UNIX)
listener.bind(PATH + '.new')
os.chmod(PATH + '.new', 0o600)
listener.listen(4096)
# The name appears only once connections are accepted.
os.rename(PATH + '.new', PATH)
listener.setblocking(False)
if len(sys.argv) > 2:
    Agent(listener, sys.argv[1], int(sys.argv[2])).run()
elif len(sys.argv) > 1:
    from waiting import WaitingAgent  # noqa: E402

    WaitingAgent(listener).run()
else:
    from virtual_machine import VirtualMachineAgent  # noqa: E402

    VirtualMachineAgent(listener).run()
