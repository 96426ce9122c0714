"""Runs QEMU, and ends this process with it, and with the same code."""
import os
import socket

from loop import READ

LOG = '/run/sandglass/sockets/qemu.log'
# The code with which QEMU has ended: 0 if its guest shut down, or whoever controls QEMU ended it.
ENDED = '/run/sandglass/sockets/ended'


class QemuProcess:
    """Each name in braces in the arguments becomes the descriptor of a socket, whose other end is in `ends`."""

    def __init__(self, loop, command, names):
        pairs = {name: socket.socketpair() for name in names}
        self.ends = {name: ours for name, (ours, _) in pairs.items()}
        for _, theirs in pairs.values():
            theirs.set_inheritable(True)
        numbers = {name: theirs.fileno() for name, (_, theirs) in pairs.items()}
        arguments = [filled(argument, numbers) for argument in command]
        pid = os.fork()
        if not pid:
            try:
                os.dup2(os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
                os.execvp(arguments[0], arguments)
            finally:
                os._exit(127)
        for _, theirs in pairs.values():
            theirs.close()

        def ended(events):
            _, status = os.waitpid(pid, 0)
            code = os.waitstatus_to_exitcode(status) & 0xff
            note(code)
            os._exit(code)

        loop.watch(os.pidfd_open(pid), READ, ended)


def note(code):
    """QEMU can write to the folder too, so nothing that is there already is opened."""
    try:
        fd = os.open(ENDED, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        os.write(fd, str(code).encode())
    except OSError:
        pass


def filled(argument, numbers):
    for name, number in numbers.items():
        argument = argument.replace('{%s}' % name, str(number))
    return argument
