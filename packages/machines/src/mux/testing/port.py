"""For tests: a machine whose port is a pseudoterminal, which like a virtio-serial port reports an end while its other end is
closed and takes little per write. The argument is the folder of the guest's programs. Prints one line of JSON for each
time that the other end was open, with how often the machine was woken before, and the hash of an echo."""
import hashlib
import json
import os
import pty
import random
import socket
import sys
import tty

sys.path.insert(0, sys.argv[1])
from acceptor import Acceptor  # noqa: E402
from loop import READ, Loop  # noqa: E402
from opener import Opener  # noqa: E402

ROUNDS, PAUSE = 3, 0.3
loop = Loop()
port, first = pty.openpty()
name = os.ttyname(first)
# Without an echo, which no port has.
tty.setraw(first)
os.close(first)
woken = 0


class Counted(Acceptor):
    def _changed(self, events):
        global woken
        woken += 1
        super()._changed(events)


def echo(stream):
    near, far = socket.socketpair()

    def readable(events):
        data = far.recv(10000)
        if data:
            far.sendall(data)
        else:
            loop.forget(far.fileno())
            far.close()

    loop.watch(far.fileno(), READ, readable)
    stream.accept(near)


def open_other_end(rounds):
    global woken
    before, woken = woken, 0
    fd = os.open(name, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    data = random.randbytes(150000)
    received = bytearray()

    def accepted(stream):
        near, far = socket.socketpair()
        far.sendall(data)
        far.shutdown(socket.SHUT_WR)
        stream.join(near)

        def readable(events):
            chunk = far.recv(65536)
            received.extend(chunk)
            if not chunk:
                loop.forget(far.fileno())
                opener.end('done')

        loop.watch(far.fileno(), READ, readable)

    def ended(reason):
        same = hashlib.sha256(received).digest() == hashlib.sha256(data).digest()
        print(json.dumps({'reason': reason, 'same': same, 'woken': before}), flush=True)
        if rounds == 1:
            os._exit(0)
        loop.after(PAUSE, lambda: open_other_end(rounds - 1))

    opener = Opener(loop, fd, on_end=ended, timeout=120)
    opener.open('echo', accepted, print, timeout=120)


Counted(loop, port, echo)
loop.after(PAUSE, lambda: open_other_end(ROUNDS))
loop.run()
