"""monkey -p PACKAGE -c CATEGORY 1: starts an app, which is what people use it for.
monkey --port PORT: takes commands on that port, a line each, answered by OK or ERROR, until its caller hangs up."""
import socket

from gi.repository import Gdk, GLib

from commands.input import press
from commands.keycodes import code_of

LONGEST_LINE = 10_000


def run(phone, arguments, answer):
    if '--port' in arguments[:-1]:
        listen(phone, int(arguments[arguments.index('--port') + 1]), answer)
        return
    package = arguments[arguments.index('-p') + 1] if '-p' in arguments[:-1] else None
    if package not in phone.apps:
        answer('** No activities found to run, monkey aborted.\n', code=252)
        return
    phone.start(package)
    GLib.idle_add(lambda: answer('Events injected: 1\n') and False)


def listen(phone, port, answer):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(('127.0.0.1', port))
    except OSError:
        answer('Error binding to network socket.\n', code=251)
        return
    listener.listen(1)

    def accepted(*_):
        connection, _ = listener.accept()
        listener.close()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Caller(phone, connection, answer)
        return False

    GLib.io_add_watch(listener.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN, accepted)


class Caller:
    """One command after another."""

    def __init__(self, phone, connection, ended):
        self._phone, self._connection, self._ended = phone, connection, ended
        self._held = b''
        self._is_busy = False
        GLib.io_add_watch(connection.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self._readable)

    def _readable(self, fd, condition):
        try:
            chunk = self._connection.recv(65536)
        except OSError:
            chunk = b''
        self._held += chunk
        if not chunk or (b'\n' not in self._held and len(self._held) > LONGEST_LINE):
            self._connection.close()
            self._ended()
            return False
        self._next()
        return True

    def _next(self):
        while not self._is_busy and b'\n' in self._held:
            line, self._held = self._held.split(b'\n', 1)
            self._is_busy = True
            try:
                self._do(line.decode().split(), self._answer)
            except (KeyError, ValueError, IndexError):
                self._answer('ERROR:Invalid Argument')

    def _answer(self, text='OK'):
        self._is_busy = False
        try:
            self._connection.send(f'{text}\n'.encode())
        except OSError:
            pass  # It has gone, and is noticed so.
        self._next()
        return False

    def _do(self, words, answer):
        verb, *rest = words
        fingers, screen = self._phone.fingers, Gdk.Screen.get_default()
        if verb == 'tap':
            at = int(rest[0]), int(rest[1])
            fingers.stroke(at, at, 0, answer)
        elif verb == 'touch':
            {'down': fingers.down, 'move': fingers.move, 'up': fingers.up}[rest[0]](int(rest[1]), int(rest[2]))
            GLib.idle_add(answer)
        elif verb == 'press':
            press(self._phone, code_of(rest[0]), answer, 0)
        elif verb == 'getvar':
            values = {'display.width': screen.get_width(), 'display.height': screen.get_height()}
            answer(f'OK:{values[rest[0]]}')
        else:
            answer('ERROR:Unknown command')
