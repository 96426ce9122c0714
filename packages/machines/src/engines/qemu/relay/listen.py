"""A unix socket whose name appears only once it accepts connections."""
import os
import socket

from loop import READ


def listen(loop, path, accepted):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + '.new')
    listener.listen(1024)
    os.rename(path + '.new', path)
    listener.setblocking(False)

    def readable(events):
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        accepted(connection)

    loop.watch(listener.fileno(), READ, readable)
