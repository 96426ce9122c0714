"""An X server that lies. Arguments: what it does, for how many seconds, and a seed."""
import random
import struct
import sys

from imposter import receive, serve

what, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)


def huge_setup(connection, is_open):
    receive(connection, 12)
    connection.sendall(struct.pack('<BBHHH', 1, 0, 11, 0, 0xffff))
    while is_open():
        connection.sendall(bytes(65536))


def huge_replies(connection, is_open):
    receive(connection, 12)
    connection.sendall(struct.pack('<BBHHH', 1, 0, 11, 0, 8) + bytes(32))
    while is_open():
        connection.sendall(struct.pack('<BBHI', 1, 0, chance.randrange(65536), 0x7fffffff) + bytes(24) + bytes(65536))


def random_bytes(connection, is_open):
    receive(connection, 12)
    while is_open():
        connection.sendall(bytes([chance.choice((0, 1, 2, 35, 161, 255))]) + chance.randbytes(chance.choice((31, 63, 4095))))


behaviours = {f.__name__: f for f in (huge_setup, huge_replies, random_bytes)}
serve('/tmp/.X11-unix/X0', seconds, behaviours[what])
