"""An agent that lies. Arguments: what it does, for how many seconds, and a seed."""
import json
import random
import sys
import time

from imposter import serve

what, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
words = [b'{"ok":true,', b'"entries":[', b'{}', b'[[', b'null', b'\n', b'"', b'\\ud800', b'1e999', b'\xff', b':', b',', b'"next":']


def line(connection):
    received = b''
    while not received.endswith(b'\n'):
        part = connection.recv(65536)
        if not part:
            raise OSError('closed')
        received += part


# Made once, because the machine has little memory itself.
lists = b'[],' * 1_000_000
entry = {'name': 'n' * 200, 'path': '/' + 'n' * 200, 'type': 'file', 'kind': 'file', 'size': 1, 'mode': 0o644, 'mtime': 1, 'uid': 0, 'gid': 0}
entries = json.dumps([entry] * 20_000)[1:-1].encode()


def empty_lists(connection, is_open):
    line(connection)
    connection.sendall(b'{"ok":true,"entries":[')
    for _ in range(20):
        connection.sendall(lists)
    connection.sendall(b'[]]}\n')


def nested_lists(connection, is_open):
    line(connection)
    connection.sendall(b'{"ok":true,"entries":' + b'[' * 1_000_000 + b']' * 1_000_000 + b'}\n')


def endless_line(connection, is_open):
    line(connection)
    while is_open():
        connection.sendall(b'"' * 65536)


def huge_page(connection, is_open):
    line(connection)
    connection.sendall(b'{"ok":true,"next":"again","entries":[')
    for _ in range(10):
        connection.sendall(entries + b',')
    connection.sendall(b'{}]}\n')


def silent(connection, is_open):
    line(connection)
    while is_open():
        time.sleep(0.05)


def drip(connection, is_open):
    line(connection)
    while is_open():
        connection.sendall(b' ')
        time.sleep(0.01)


def endless_output(connection, is_open):
    line(connection)
    connection.sendall(b'{"ok":true}\n')
    while is_open():
        connection.sendall(b'{"ok":true,"out":"' + b'A' * 4000 + b'"}\n' * 64)


def random_words(connection, is_open):
    line(connection)
    while is_open():
        connection.sendall(b''.join(chance.choices(words, k=2000)))


behaviours = {f.__name__: f for f in (empty_lists, nested_lists, endless_line, huge_page, silent, drip, endless_output, random_words)}
serve('/run/sandglass/sockets/agent', seconds, behaviours[what])
