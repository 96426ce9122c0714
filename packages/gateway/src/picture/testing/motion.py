"""Plays moving colours in a part of the screen with plain X11 requests: motion.py X Y WIDTH HEIGHT SECONDS FPS."""
import socket
import struct
import sys
import time

x, y, width, height = map(int, sys.argv[1:5])
seconds, fps = float(sys.argv[5]), float(sys.argv[6])

server = socket.socket(socket.AF_UNIX)
server.connect("/tmp/.X11-unix/X0")


def read(count):
    data = b""
    while len(data) < count:
        data += server.recv(count - len(data))
    return data


server.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
_, _, _, length = struct.unpack("<BxHHH", read(8))
setup = read(4 * length)
base, _, _, vendor = struct.unpack_from("<IIIH", setup, 4)
formats = setup[21]
screen = 32 + (vendor + 3) // 4 * 4 + 8 * formats
root = struct.unpack_from("<I", setup, screen)[0]

window, context = base + 1, base + 2
override_redirect = 0x200
server.sendall(
    struct.pack("<BBHIIhhHHHHIII", 1, 0, 9, window, root, x, y, width, height, 0, 1, 0, override_redirect, 1)
    + struct.pack("<BxHI", 8, 2, window)
    + struct.pack("<BxHIII", 55, 4, context, window, 0)
)

rows_at_once = 250_000 // (4 * width)
# A plane that glides in front of a gradient, with more colours than a palette has.
plane = [bytes((i * 3 + j) & 255 for i in range(2 * width) for _ in range(1)) for j in range(256)]


def row(number, moment):
    line = bytearray(4 * width)
    shift = (moment * 4) % width
    line[0::4] = plane[(number + moment) & 255][shift : shift + width]
    line[1::4] = plane[number & 255][:width]
    line[2::4] = bytes([(number * 2 + moment * 3) & 255]) * width
    return bytes(line)


end = time.monotonic() + seconds
moment = 0
while time.monotonic() < end:
    due = time.monotonic() + 1 / fps
    for top in range(0, height, rows_at_once):
        count = min(rows_at_once, height - top)
        data = b"".join(row(top + i, moment) for i in range(count))
        server.sendall(struct.pack("<BBHIIHHhhBBxx", 72, 2, 6 + len(data) // 4, window, context, width, count, 0, top, 0, 24) + data)
    moment += 1
    time.sleep(max(0, due - time.monotonic()))
