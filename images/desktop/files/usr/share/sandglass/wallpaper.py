"""Paints the wallpaper: dunes under an evening sky, 1920x1080, with no picture to ship."""
import math
import struct
import sys
import zlib

WIDTH, HEIGHT = 1920, 1080
SKY = [(0.0, (38, 52, 92)), (0.42, (120, 96, 134)), (0.62, (226, 146, 118)), (0.75, (250, 205, 150)), (1.0, (252, 222, 176))]
SUN, SUN_RADIUS, GLOW = (1320, 640), 74, 520
DUNES = [  # base height, amplitudes and wavelengths, phase, crest colour, foot colour
    (720, ((34, 900), (12, 310)), 0.4, (214, 142, 108), (190, 118, 98)),
    (800, ((52, 1300), (18, 430)), 2.1, (190, 112, 88), (150, 82, 76)),
    (900, ((66, 1700), (20, 520)), 4.2, (150, 82, 72), (96, 52, 62)),
]


def mix(one, other, share):
    return tuple(a + (b - a) * share for a, b in zip(one, other))


def sky(y):
    place = y / HEIGHT
    for (start, colour), (end, following) in zip(SKY, SKY[1:]):
        if place <= end:
            return mix(colour, following, (place - start) / (end - start))
    return SKY[-1][1]


def crest(base, waves, phase, x):
    return base + sum(size * math.sin(2 * math.pi * x / length + phase * (i + 1)) for i, (size, length) in enumerate(waves))


crests = [[crest(base, waves, phase, x) for x in range(WIDTH)] for base, waves, phase, _, _ in DUNES]
rows = []
for y in range(HEIGHT):
    ground = sky(y)
    row = bytearray()
    for x in range(WIDTH):
        colour = ground
        distance = math.hypot(x - SUN[0], y - SUN[1])
        if distance < GLOW:
            colour = mix(colour, (255, 236, 196), 0.55 * (1 - distance / GLOW) ** 2)
            if distance < SUN_RADIUS + 1:
                colour = mix(colour, (255, 246, 222), min(1, SUN_RADIUS + 1 - distance))
        for heights, (_, _, _, top, foot) in zip(crests, DUNES):
            depth = y - heights[x]
            if depth > -1:
                colour = mix(colour, mix(top, foot, min(1, max(0, depth) / 240)), min(1, depth + 1))
        # A little noise keeps the slow gradients from showing bands.
        noise = ((x * 2654435761 + y * 40503) >> 7 & 3) / 4
        row += bytes(int(part + noise) if part < 255 else 255 for part in colour)
    rows.append(b'\0' + row)


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


with open(sys.argv[1], 'wb') as out:
    out.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
    out.write(chunk(b'IDAT', zlib.compress(b''.join(rows), 6)) + chunk(b'IEND', b''))
