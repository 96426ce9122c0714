"""Scrolls a long page of text and pictures over the whole screen as browsers do: every frame is repainted, and the X
server sees no copy. page.py FPS"""
import ctypes
import random
import sys
import time

rate = float(sys.argv[1])
width, height, length, step = 1280, 720, 4000, 6

x = ctypes.CDLL('libX11.so.6')
for name in ('XOpenDisplay', 'XDefaultRootWindow', 'XCreatePixmap', 'XCreateGC', 'XLoadFont'):
    getattr(x, name).restype = ctypes.c_void_p
display = ctypes.c_void_p(x.XOpenDisplay(None))
root = ctypes.c_void_p(x.XDefaultRootWindow(display))
page = ctypes.c_void_p(x.XCreatePixmap(display, root, width, length, 24))
brush = ctypes.c_void_p(x.XCreateGC(display, page, 0, None))
x.XSetFont(display, brush, ctypes.c_void_p(x.XLoadFont(display, b'fixed')))


def fill(colour, left, top, wide, high):
    x.XSetForeground(display, brush, ctypes.c_ulong(colour))
    x.XFillRectangle(display, page, brush, left, top, wide, high)


chance = random.Random(1)
words = [''.join(chance.choices('abcdefghijklmnoprstuv', k=chance.randint(2, 11))) for _ in range(500)]
fill(0xFFFFFF, 0, 0, width, length)
for top in range(0, length, 16):
    if top % 800 < 160:
        for left in range(0, 400, 4):
            fill(chance.randrange(0x1000000), 40 + left, top, 4, 16)
    line = ' '.join(chance.choices(words, k=26)).encode()
    x.XSetForeground(display, brush, ctypes.c_ulong(0x202020))
    x.XDrawString(display, page, brush, 480 if top % 800 < 160 else 40, top + 12, line, min(len(line), 120))

print('painting', flush=True)
began, frame = time.monotonic(), 0
while True:
    place = frame * step % (2 * (length - height))
    top = min(place, 2 * (length - height) - place)
    x.XCopyArea(display, page, root, brush, 0, top, width, height, 0, 0)
    x.XSync(display, 0)
    frame += 1
    time.sleep(max(0, began + frame / rate - time.monotonic()))
