"""A process between the agent and one program, to which everything comes that the program starts and leaves: as a
subreaper it is the ancestor of all of it, whatever sessions and daemons were made, so it can end all of it."""
import json
import os
import select
import signal
import socket

from descent import descendants
from loop import READ

PR_SET_CHILD_SUBREAPER = 36


class Supervisor:
    """The agent's side. `on_exit` is told the program's status, `on_gone` that nothing is left of what it started."""

    def __init__(self, loop, spawn, on_exit, on_gone):
        import ctypes  # noqa: F401  Slow to load; once here, and not in every child.

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
        loop.watch(self._socket.fileno(), READ, self._told)

    def end_all(self):
        try:
            self._socket.send(b'end')
        except OSError:
            pass  # Nothing is left.

    def release(self):
        """What still runs goes on."""
        self._loop.forget(self._socket.fileno())
        self._socket.close()

    def _told(self, events):
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
        # The agent's handlers stay, which do nothing: a signal that is ignored would be ignored by the program too.
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
            # While it ends all, it looks again for what was forked as it looked.
            for fd, _ in ready.poll(50 if ending else None):
                if fd == woken.fileno():
                    woken.recv(4096)
                elif agent.recv(16):
                    ending = True
                elif not ending:
                    return  # Let go: orphans come to process 1.
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
                pass  # The one that listed them.


def reap(program, agent):
    """False when no child is left, and so no descendant."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return True
            if pid == program:
                tell(agent, str(status).encode())
    except ChildProcessError:
        return False


def tell(agent, message):
    try:
        agent.send(message)
    except OSError:
        pass  # It has let go.


def kill_all():
    """Stops all before it ends any, so that what forks all the time finds no place that another has left."""
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
