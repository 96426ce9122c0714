"""Touches and keys, as a person's hand makes them: by XTEST, so that every window takes them alike."""
import ctypes

from gi.repository import GLib

STEP_MS = 8
FAR = 32767


class Fingers:
    def __init__(self):
        self._x = ctypes.CDLL('libX11.so.6')
        self._test = ctypes.CDLL('libXtst.so.6')
        self._x.XOpenDisplay.restype = ctypes.c_void_p
        self._x.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        self._x.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self._test.XTestFakeMotionEvent.argtypes = [ctypes.c_void_p] + [ctypes.c_int] * 3 + [ctypes.c_ulong]
        self._test.XTestFakeButtonEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        self._test.XTestFakeKeyEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        self._display = self._x.XOpenDisplay(None)
        self._busy = []

    @property
    def display(self):
        """Xlib, and its connection that no other part of the program uses."""
        return self._x, self._display

    def announce(self):
        """Tells by EWMH that windows are managed, with none in the list."""
        for name in ('XInternAtom', 'XDefaultRootWindow'):
            getattr(self._x, name).restype = ctypes.c_ulong
        self._x.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
        self._x.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
        self._x.XChangeProperty.argtypes = [ctypes.c_void_p] + [ctypes.c_ulong] * 3 + [ctypes.c_int] * 2 + [ctypes.c_char_p, ctypes.c_int]
        root = self._x.XDefaultRootWindow(self._display)
        windows, kind = (self._x.XInternAtom(self._display, name, 0) for name in (b'_NET_CLIENT_LIST', b'WINDOW'))
        self._x.XChangeProperty(self._display, root, windows, kind, 32, 0, b'', 0)
        self._x.XSync(self._display, 0)

    def tap(self, x, y):
        self._press(x, y)
        self._lift(x, y)
        self._taken()

    def down(self, x, y):
        self._press(x, y)
        self._taken()

    def move(self, x, y):
        self._move(x, y)
        self._taken()

    def up(self, x, y):
        self._lift(x, y)
        self._taken()

    def stroke(self, start, end, duration_ms, done, hold_ms=0):
        """One finger from one place to another, one stroke after the other."""
        self._busy.append((start, end, duration_ms, hold_ms, done))
        if len(self._busy) == 1:
            self._next()

    def _next(self):
        start, end, duration_ms, hold_ms, done = self._busy[0]
        began = GLib.get_monotonic_time()

        def finish():
            self.up(*end)
            self._busy.pop(0)
            if self._busy:
                self._next()
            # After what the window makes of it.
            GLib.idle_add(lambda: done() and False)

        def step():
            spent_ms = (GLib.get_monotonic_time() - began) / 1000
            if spent_ms < hold_ms:
                return True
            part = min(1, (spent_ms - hold_ms) / max(1, duration_ms))
            self.move(*(round(a + (b - a) * part) for a, b in zip(start, end)))
            if part < 1:
                return True
            finish()
            return False

        self.down(*start)
        if duration_ms + hold_ms:
            GLib.timeout_add(STEP_MS, step)
        else:
            finish()

    def keys(self, keysyms, done, hold_ms=0):
        """All down in order, then up in reverse."""
        codes = [self._x.XKeysymToKeycode(self._display, keysym) for keysym in keysyms]
        for code in codes:
            self._test.XTestFakeKeyEvent(self._display, code, 1, 0)
        self._taken()

        def release():
            for code in reversed(codes):
                self._test.XTestFakeKeyEvent(self._display, code, 0, 0)
            self._taken()
            GLib.idle_add(lambda: done() and False)
            return False

        if hold_ms:
            GLib.timeout_add(hold_ms, release)
        else:
            release()

    def _press(self, x, y):
        self._move(x, y)
        self._test.XTestFakeButtonEvent(self._display, 1, 1, 0)

    def _lift(self, x, y):
        self._move(x, y)
        self._test.XTestFakeButtonEvent(self._display, 1, 0, 0)
        # A finger that is lifted hovers over nothing: the display keeps the pointer in its last corner.
        self._move(FAR, FAR)

    def _move(self, x, y):
        self._test.XTestFakeMotionEvent(self._display, -1, int(x), int(y), 0)

    def _taken(self):
        """Returns when the display has it all."""
        self._x.XSync(self._display, 0)
