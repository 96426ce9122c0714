"""Paints a moving picture into its own window with plain X11 requests: painter.py X Y WIDTH HEIGHT FPS FRAMES.

Every frame shows its number as sixteen squares along the top, the highest bit first, white for one and black for zero,
so that a viewer can tell how many of them it was shown. Without FRAMES it runs until it is killed.
"""
import math
import os
import random
import socket
import struct
import sys
import time

x, y, width, height, rate = map(int, sys.argv[1:6])
frames = int(sys.argv[6]) if len(sys.argv) > 6 else 1 << 30
square = 16
textures = 4

display = os.environ.get("DISPLAY", ":0").split(":")[1].split(".")[0]
server = socket.socket(socket.AF_UNIX)
server.connect(f"/tmp/.X11-unix/X{display}")
server.sendall(struct.pack("<BxHHHHxx", 0x6C, 11, 0, 0, 0))


def receive(length):
    data = b""
    while len(data) < length:
        part = server.recv(length - len(data))
        if not part:
            sys.exit("the X server has gone")
        data += part
    return data


head = receive(8)
if head[0] != 1:
    sys.exit("the X server lets nobody in without a cookie")
setup = receive(4 * struct.unpack("<H", head[6:8])[0])
base = struct.unpack("<I", setup[4:8])[0]
vendor, formats = struct.unpack("<H", setup[16:18])[0], setup[21]
screen = 32 + (vendor + 3) // 4 * 4 + 8 * formats
root = struct.unpack("<I", setup[screen : screen + 4])[0]
depth = setup[screen + 38]


def request(code, detail, body):
    body += b"\0" * (-len(body) % 4)
    server.sendall(struct.pack("<BBH", code, detail, 1 + len(body) // 4) + body)


window, brush, first = base + 1, base + 2, base + 3
override_redirect = 0x200
request(1, depth, struct.pack("<IIhhHHHHIII", window, root, x, y, width, height, 0, 1, 0, override_redirect, 1))
request(8, 0, struct.pack("<I", window))
request(55, 0, struct.pack("<III", brush, window, 0))


def texture(seed):
    """Hills of colour with some grain, larger than the window, so that the visible part can move."""
    chance = random.Random(seed)
    waves = [(chance.uniform(20, 90), chance.uniform(20, 90), chance.uniform(0, 6)) for _ in range(3)]
    for row in range(height + 64):
        line = bytearray()
        across = [math.sin(row / b + phase) for _, b, phase in waves]
        for column in range(width + 64):
            grain = chance.random() * 14
            blue, green, red = (
                int(120 + 70 * (math.sin(column / a) + down) / 2 + grain) for (a, _, _), down in zip(waves, across)
            )
            line += bytes((blue, green, red, 0))
        yield bytes(line)


for number in range(textures):
    pixmap = first + number
    request(53, depth, struct.pack("<IIHH", pixmap, root, width + 64, height + 64))
    for row, line in enumerate(texture(number)):
        place = struct.pack("<IIHHhhBBH", pixmap, brush, width + 64, 1, 0, row, 0, depth, 0)
        request(72, 2, place + line)


def paint(colour, rectangles):
    request(56, 0, struct.pack("<III", brush, 4, colour))
    request(70, 0, struct.pack("<II", window, brush) + b"".join(struct.pack("<hhHH", *one) for one in rectangles))


print("painting", flush=True)
started = time.monotonic()
for frame in range(1, frames + 1):
    shot = frame // (rate * 2)
    left, top = int(32 + 31 * math.sin(frame / 40)), int(32 + 31 * math.cos(frame / 55))
    pixmap = first + shot % textures
    request(62, 0, struct.pack("<IIIhhhhHH", pixmap, window, brush, left, top, 0, 0, width, height))
    for one in range(12):
        place = int((width - 60) * (0.5 + 0.5 * math.sin(frame / (20 + one) + one)))
        paint(0x203040 * (one + 1) % 0xFFFFFF, [(place, 30 + (height - 60) * one // 12, 40, 24)])
    bits = [(frame >> (15 - bit)) & 1 for bit in range(16)]
    for colour, value in ((0xFFFFFF, 1), (0, 0)):
        squares = [(square * at, 0, square, square) for at, bit in enumerate(bits) if bit == value]
        if squares:
            paint(colour, squares)
    time.sleep(max(0, started + frame / rate - time.monotonic()))
time.sleep(1 << 20)
