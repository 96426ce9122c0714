"""A VNC server that lies. Arguments: what it does, for how many seconds, and a seed."""
import random
import struct
import sys
import time

from imposter import receive, serve

what, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
WIDTH, HEIGHT = 1280, 720
COPY, DESKTOP_SIZE, EXTENDED_SIZE, CURSOR = 1, -223, -308, -239


def greet(connection, width=WIDTH, height=HEIGHT):
    connection.sendall(b'RFB 003.008\n')
    receive(connection, 12)
    connection.sendall(b'\x01\x01')
    receive(connection, 1)
    connection.sendall(b'\0\0\0\0')
    receive(connection, 1)
    pixels = struct.pack('>BBBBHHHBBBxxx', 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
    connection.sendall(struct.pack('>HH', width, height) + pixels + struct.pack('>I', 4) + b'none')


def rectangle(x, y, width, height, encoding, data=b''):
    return struct.pack('>HHHHi', x, y, width, height, encoding) + data


def update(rectangles):
    return struct.pack('>BxH', 0, len(rectangles)) + b''.join(rectangles)


def flood(connection, is_open, message):
    chunk = message * max(1, 65536 // len(message))
    while is_open():
        connection.sendall(chunk)


def copies(connection, is_open):
    greet(connection)
    flood(connection, is_open, update([rectangle(0, 0, WIDTH, HEIGHT - 1, COPY, struct.pack('>HH', 0, 1))] * 1000))


def sizes(connection, is_open):
    greet(connection)
    flood(connection, is_open, update([rectangle(0, 0, 1280, 720, DESKTOP_SIZE), rectangle(0, 0, 1920, 1080, DESKTOP_SIZE)] * 500))


def absurd_size(connection, is_open):
    greet(connection, 7680, 4320)
    while is_open():
        time.sleep(0.05)


def growing_size(connection, is_open):
    greet(connection)
    flood(connection, is_open, update([rectangle(0, 0, 7680, 4320, DESKTOP_SIZE)]))


def cut_text(connection, is_open):
    greet(connection)
    connection.sendall(struct.pack('>BxxxI', 3, 0x7fffffff))
    flood(connection, is_open, b'text')


def cursors(connection, is_open):
    greet(connection)
    data = bytes(200 * 200 * 4 + 25 * 200)
    flood(connection, is_open, update([rectangle(0, 0, 200, 200, CURSOR, data)] * 50))


def tiny_rectangles(connection, is_open):
    greet(connection)
    flood(connection, is_open, update([rectangle(5, 5, 1, 1, 0, b'\0\0\0\0')] * 60_000))


def bells(connection, is_open):
    greet(connection)
    flood(connection, is_open, b'\x02')


def random_bytes(connection, is_open):
    if chance.random() < 0.8:
        greet(connection)
    while is_open():
        sizes_ = [chance.choice((0, 1, 16, 720, 1280, 65535)) for _ in range(4)]
        encoding = chance.choice((0, 1, 2, 5, 7, 16, 0, -223, -224, -239, -308, -314, 99))
        data = chance.randbytes(chance.choice((0, 4, 64, 4096)))
        connection.sendall(update([rectangle(*sizes_, encoding, data)] * chance.randint(1, 9)) + data)


behaviours = {f.__name__: f for f in (copies, sizes, absurd_size, growing_size, cut_text, cursors, tiny_rectangles, bells, random_bytes)}
serve('/run/sandglass/sockets/rfb', seconds, behaviours[what])
