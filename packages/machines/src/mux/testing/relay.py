"""For tests: opens a stream for each connection to a socket. The arguments are the folder of the guest's programs, the
folder of the sockets, and targets. Descriptor 3 is the byte stream. Prints what happens, one line of JSON each."""
import json
import os
import socket
import sys

sys.path.insert(0, sys.argv[1])
from loop import READ, Loop  # noqa: E402
from mux import Opener, join  # noqa: E402


def report(**event):
    print(json.dumps(event), flush=True)


def ended(reason):
    report(end=reason)
    os._exit(0)


def listen(target):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.join(sys.argv[2], target))
    listener.listen(2048)

    def accept(events):
        connection, _ = listener.accept()

        def refused(message):
            report(refused=message)
            connection.close()

        try:
            opener.open(target, lambda stream: join(stream, connection), refused)
        except ValueError as error:
            refused(str(error))

    loop.watch(listener.fileno(), READ, accept)


loop = Loop()
opener = Opener(loop, 3, lambda: report(ready=True), ended, timeout=float(os.environ.get('TIMEOUT', 60)))
for target in sys.argv[3:]:
    listen(target)
loop.run()
