"""For tests: feeds mutated input to both sides of the multiplexer. The arguments are the folder of the guest's programs,
a seed and a number of rounds. Prints how the sessions ended, as JSON."""
import collections
import json
import os
import random
import resource
import signal
import socket
import sys

sys.path.insert(0, sys.argv[1])
import frames  # noqa: E402
from frames import ACCEPT, CREDIT, DATA, END, OPEN, PING, REFUSE, RESET, ZEROS, hello, pack  # noqa: E402
from loop import Loop  # noqa: E402
from mux import Acceptor, Opener, join  # noqa: E402

NONCE = b'n' * 16
random.seed(int(sys.argv[2]))


class Ended(BaseException):
    """Passes through the loop, which reports every other exception."""


def ended(reason):
    raise Ended(reason)


def mutated(data):
    data = bytearray(data)
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(data))
        start = random.randrange(len(data))
        insert = random.choice((b'', random.randbytes(random.randrange(12)), data[start:start + random.randrange(300)]))
        data[at:at + random.randrange(9)] = insert
    return bytes(data)


def shuffled(data):
    """Valid frames in an order that may not be, with others between them."""
    reader = frames.Reader()
    reader.space()[0][:len(data)] = data
    found = [pack(kind, number, bytes(payload)) for kind, number, payload in reader.frames(len(data))]
    for _ in range(random.randrange(1, 6)):
        kind = random.randrange(1, 11)
        least, most = frames.LENGTHS[kind]
        number = 0 if kind in frames.OF_SESSION else random.randrange(1, 6)
        payload = random.randbytes(random.randint(least, min(most, least + 100)))
        found.insert(random.randrange(len(found)), pack(kind, number, payload))
    moved = random.randrange(len(found))
    found.insert(random.randrange(len(found)), found.pop(moved))
    return b''.join(found)


def run(make, data):
    """Runs a side until it has read everything, and returns the reason of its end and what it sent."""
    near, far = socket.socketpair()
    far.sendall(data)
    far.shutdown(socket.SHUT_WR)
    loop = Loop()
    sockets = []
    try:
        make(loop, near.detach(), sockets)
        loop.run()
    except Ended as end:
        far.setblocking(False)
        sent = bytearray()
        while chunk := far.recv(1 << 20):
            sent += chunk
        return str(end), bytes(sent)
    finally:
        loop._epoll.close()
        far.close()
        for each in sockets:
            each.close()


def opener(loop, fd, sockets):
    def accepted(stream):
        near, far = socket.socketpair()
        sockets.append(far)
        far.send(b'x' * 5000)
        join(stream, near)

    session = Opener(loop, fd, on_end=ended)
    for _ in range(3):
        session.open('agent', accepted, lambda message: None)


def acceptor(loop, fd, sockets):
    def opened(stream):
        if stream.target != 'agent':
            stream.refuse('no')
            return
        near, far = socket.socketpair()
        sockets.append(far)
        far.send(b'x' * 5000)
        stream.accept(near)

    Acceptor(loop, fd, opened, ended)


def stream(number, first):
    # Credit is a violation unless the other side has sent data by then.
    credit = random.choice((b'', b'', pack(CREDIT, number, bytes((0, 0, 1, 0)))))
    return first + pack(DATA, number, random.randbytes(500)) + credit + pack(DATA, number, random.randbytes(1500))


signal.alarm(500)
os.urandom = lambda size: NONCE[:size]
reasons = collections.Counter()
for _ in range(int(sys.argv[3])):
    answers = pack(ACCEPT, 1) + pack(REFUSE, 3, b'no') + stream(2, pack(ACCEPT, 2)) + pack(END, 2) + pack(RESET, 1)
    reasons[run(opener, hello(NONCE) + random.choice((mutated, shuffled))(answers))[0]] += 1

    requests = stream(1, pack(OPEN, 1, b'agent')) + pack(OPEN, 2, b'x') + stream(3, pack(OPEN, 3, b'agent'))
    requests += pack(END, 1) + pack(PING, 0, b'12345678') + pack(RESET, 3)
    greeting = ZEROS + hello(b'o' * 16)
    noise = random.choice((mutated(greeting + requests), greeting + shuffled(requests), mutated(requests), random.randbytes(3000)))
    # Whatever it was, the next greeting is answered, and nothing of it follows.
    reason, sent = run(acceptor, noise + ZEROS + hello(NONCE) + pack(PING, 0, b'abcdefgh'))
    assert reason == 'the other side closed the connection', reason
    assert sent.endswith(hello(NONCE) + pack(frames.PONG, 0, b'abcdefgh')), (noise, sent[-100:])
print(json.dumps({'reasons': reasons, 'kilobytes': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
