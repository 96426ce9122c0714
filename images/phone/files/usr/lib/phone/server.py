"""Takes commands on a unix socket: four bytes of length, then the name and the arguments with NULs between. The answer is
the exit code (1 byte), the lengths of what goes to stdout and to stderr (4 bytes each), and both."""
import os
import socket
import struct
import traceback

from gi.repository import GLib

LONGEST_REQUEST = 1 << 20


def serve(path, handle):
    if os.path.lexists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    GLib.io_add_watch(listener.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN, lambda *_: _accept(listener, handle))


def _accept(listener, handle):
    connection, _ = listener.accept()
    connection.setblocking(False)
    held = bytearray()

    def readable(fd, condition):
        try:
            chunk = connection.recv(65536)
        except OSError:
            chunk = b''
        held.extend(chunk)
        if len(held) >= 4:
            length = struct.unpack_from('>I', held)[0]
            if length <= LONGEST_REQUEST and len(held) >= 4 + length:
                _call(connection, handle, bytes(held[4:4 + length]).decode('utf-8', 'replace').split('\0'))
                return False
        if chunk:
            return True
        connection.close()
        return False

    # A command finds everything done that was touched before it.
    GLib.io_add_watch(connection.fileno(), GLib.PRIORITY_DEFAULT_IDLE, GLib.IO_IN | GLib.IO_HUP, readable)
    return True


def _call(connection, handle, argv):
    def answer(out=b'', err=b'', code=0):
        out, err = (text.encode() if isinstance(text, str) else text for text in (out, err))
        _send(connection, [struct.pack('>BII', code, len(out), len(err)), out, err])

    answer.is_awaited = lambda: _is_open(connection)
    try:
        handle(argv, answer)
    except Exception:
        answer(err=traceback.format_exc(), code=1)


def _is_open(connection):
    """Whether the caller still waits; it has said all that it says."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b''
    except BlockingIOError:
        return True
    except OSError:
        return False


def _send(connection, parts):
    rest = [memoryview(part) for part in parts if part]

    def writable(fd=None, condition=None):
        try:
            rest[0] = rest[0][connection.send(rest[0]):]
        except BlockingIOError:
            return True
        except OSError:
            rest.clear()
        while rest and not rest[0]:
            rest.pop(0)
        if rest:
            return True
        connection.close()
        return False

    if writable():
        GLib.io_add_watch(connection.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_OUT | GLib.IO_HUP, writable)
