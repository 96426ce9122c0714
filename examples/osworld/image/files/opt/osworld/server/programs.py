"""Starts programs of the desktop. They have sessions of their own, so they outlive this server."""
import os
import signal
import subprocess
import tempfile
from typing import NamedTuple

from asked import Refused


class Ended(NamedTuple):
    #: None if the program took too long, and was ended with its children.
    code: int | None
    out: str
    err: str


def start(command, shell=False, out=subprocess.DEVNULL, err=subprocess.DEVNULL, folder=None):
    try:
        return subprocess.Popen(
            command,
            shell=shell,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=folder or os.path.expanduser('~'),
            start_new_session=True,
        )
    except OSError as error:
        name = command if shell else command[0]
        raise Refused(f'{name} cannot be started: {error.strerror}') from None


def run(command, *, shell=False, seconds, folder=None, joined=False):
    """Runs a program to its end. Its output goes to files, because what it leaves in the background would keep a pipe open."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        program = start(command, shell, out, subprocess.STDOUT if joined else err, folder)
        try:
            code = program.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            code = None
        return Ended(code, _text(out), _text(err))


def _text(file):
    file.seek(0)
    return file.read().decode(errors='replace')
