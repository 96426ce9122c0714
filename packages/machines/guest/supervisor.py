"""A process between the agent and one program. As a subreaper it becomes the parent of everything that the
program leaves behind, whatever sessions and daemons it creates, so it can kill all of it."""
import json
import os
import select
import signal
import socket

from descent import descendants
from loop import READ

PR_SET_CHILD_SUBREAPER = 36


class Supervisor:
    """The agent's side. Calls `on_exit` with the status of the program, and `on_gone` when none of its processes
    is left."""

    def __init__(self, loop, spawn, on_exit, on_gone):
        import ctypes  # noqa: F401  Slow to load, so it is loaded once here instead of in every child.

        self._loop, self._on_exit, self._on_gone = loop, on_exit, on_gone
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if not os.fork():
            supervise(theirs, spawn)
        theirs.close()
        started = json.loads(self._socket.recv(65536) or '{"error": [3, "the program could not be started"]}')
        if 'error' in started:
            self._socket.close()
            raise OSError(*started['error'])
        self.pid = started['pid']
        loop.watch(self._socket.fileno(), READ, self._received)

    def end_all(self):
        try:
            self._socket.send(b'end')
        except OSError:
            pass  # No process is left.

    def release(self):
        """Lets everything that still runs continue."""
        self._loop.forget(self._socket.fileno())
        self._socket.close()

    def _received(self, events):
        try:
            status = self._socket.recv(64)
        except OSError:
            status = b''
        if status:
            self._on_exit(int(status))
        else:
            self._loop.forget(self._socket.fileno())
            self._on_gone()


def supervise(agent, spawn):
    """The child's side, which never returns."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # The agent's empty handlers stay installed, because an ignored signal would be ignored by the program as
        # well.
        woken, wake = socket.socketpair()
        wake.setblocking(False)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        program = start(agent, spawn)
        close_all_but({0, 1, 2, agent.fileno(), woken.fileno(), wake.fileno()})
        ready = select.poll()
        ready.register(agent.fileno(), select.POLLIN)
        ready.register(woken.fileno(), select.POLLIN)
        ending = False
        while reap(program, agent):
            if ending:
                kill_all()
            # While it kills everything, it polls for processes that were forked in the meantime.
            for fd, _ in ready.poll(50 if ending else None):
                if fd == woken.fileno():
                    woken.recv(4096)
                elif agent.recv(16):
                    ending = True
                elif not ending:
                    return  # Released: process 1 adopts the orphans.
                else:
                    ready.unregister(agent.fileno())
    finally:
        os._exit(0)


def start(agent, spawn):
    try:
        program = spawn()
    except OSError as error:
        agent.send(json.dumps({'error': [error.errno, error.strerror, error.filename]}).encode())
        os._exit(0)
    agent.send(json.dumps({'pid': program}).encode())
    return program


def close_all_but(kept):
    for fd in [int(name) for name in os.listdir('/proc/self/fd')]:
        if fd not in kept:
            try:
                os.close(fd)
            except OSError:
                pass  # The descriptor of the listing itself.


def reap(program, agent):
    """Returns False when no child, and therefore no descendant, is left."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return True
            if pid == program:
                send(agent, str(status).encode())
    except ChildProcessError:
        return False


def send(agent, message):
    try:
        agent.send(message)
    except OSError:
        pass  # The agent has released this supervisor.


def kill_all():
    """Stops all processes before it kills any, so that a fork bomb cannot use the slots of those that were
    killed."""
    stopped = set()
    while found := set(descendants(os.getpid())) - stopped:
        send_each(found, signal.SIGSTOP)
        stopped |= found
    send_each(descendants(os.getpid()), signal.SIGKILL)


def send_each(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass  # It has just ended.
