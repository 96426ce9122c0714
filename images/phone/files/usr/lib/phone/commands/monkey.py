"""monkey -p PACKAGE -c CATEGORY 1: starts an app, which is what people use it for.
monkey --port PORT: takes commands on that port, a line each, answered by OK or ERROR, until its caller hangs up."""
import queue
import socket
import threading

from gi.repository import Gdk, GLib

from commands.input import press
from commands.keycodes import code_of
from fingers import Fingers

LONGEST_LINE = 10_000
# How often it looks whether whoever started it is still there.
LOOK_S = 0.1


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
    threading.Thread(target=serve, args=(phone, listener, answer), daemon=True).start()


def serve(phone, listener, answer):
    """In a thread of its own, so that a touch does not wait for what the last one made the window draw."""
    try:
        with awaited(listener, answer) as connection:
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            obey(Caller(phone), connection)
    except OSError:
        pass  # It has gone.
    finally:
        GLib.idle_add(lambda: answer() and False)


def awaited(listener, answer):
    """The first who connects. The port is free again as soon as whoever started this has gone."""
    with listener:
        listener.settimeout(LOOK_S)
        while answer.is_awaited():
            try:
                return listener.accept()[0]
            except TimeoutError:
                pass
    raise OSError('nobody waits')


def obey(caller, connection):
    """One command after another."""
    held = b''
    while chunk := connection.recv(65536):
        *lines, held = (held + chunk).split(b'\n')
        for line in lines:
            connection.sendall(f'{caller.do(line)}\n'.encode())
        if len(held) > LONGEST_LINE:
            return


class Caller:
    """Touches by a hand of its own, and says so when the display has taken them, as a phone does."""

    def __init__(self, phone):
        self._phone, self._fingers = phone, Fingers()

    def do(self, line):
        try:
            verb, *rest = line.decode().split()
            if verb == 'tap':
                self._fingers.tap(int(rest[0]), int(rest[1]))
            elif verb == 'touch':
                {'down': self._fingers.down, 'move': self._fingers.move, 'up': self._fingers.up}[rest[0]](int(rest[1]), int(rest[2]))
            elif verb == 'press':
                code = code_of(rest[0])
                in_phone(lambda done: press(self._phone, code, done, 0))
            elif verb == 'getvar':
                return f'OK:{in_phone(SIZES[rest[0]])}'
            else:
                return 'ERROR:Unknown command'
        except (KeyError, ValueError, IndexError):
            return 'ERROR:Invalid Argument'
        return 'OK'


def in_phone(work):
    """What is not thread-safe, after all that was touched before. `work` is given what it calls at its end."""
    answers = queue.SimpleQueue()
    GLib.idle_add(lambda: work(lambda value=None: answers.put(value)) and False)
    return answers.get()


SIZES = {
    'display.width': lambda done: done(Gdk.Screen.get_default().get_width()),
    'display.height': lambda done: done(Gdk.Screen.get_default().get_height()),
}
