"""Touches and keys, as a person's hand makes them: by XTEST, so that every window takes them alike."""
import ctypes

from gi.repository import Gdk, GLib

STEP_MS = 8


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

    def down(self, x, y):
        self._move(x, y)
        self._button(True)

    def move(self, x, y):
        self._move(x, y)

    def up(self, x, y):
        self._move(x, y)
        self._button(False)
        # A finger that is lifted hovers over nothing.
        screen = Gdk.Screen.get_default()
        self._move(screen.get_width() - 1, screen.get_height() - 1)

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
        self._x.XSync(self._display, 0)

        def release():
            for code in reversed(codes):
                self._test.XTestFakeKeyEvent(self._display, code, 0, 0)
            self._x.XSync(self._display, 0)
            GLib.idle_add(lambda: done() and False)
            return False

        if hold_ms:
            GLib.timeout_add(hold_ms, release)
        else:
            release()

    def _move(self, x, y):
        self._test.XTestFakeMotionEvent(self._display, -1, int(x), int(y), 0)
        self._x.XSync(self._display, 0)

    def _button(self, is_down):
        self._test.XTestFakeButtonEvent(self._display, 1, is_down, 0)
        self._x.XSync(self._display, 0)
