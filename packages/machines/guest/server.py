"""Reaps processes, keeps the desktop running, and serves requests on a unix socket. Each connection carries one
request: a line of JSON, a line of JSON as the answer, and then whatever the request transfers."""
import errno
import json
import os
import signal
import socket
import time

import files
from accounts import Account
from loop import READ, WRITE, Loop
from processes import Processes
from pump import join

LINE_LIMIT = 4 << 20
# A pipe on which components of the session report restarts, one line each.
SESSION = '/run/sandglass/session'
# How many seconds a machine that is shut down waits for those who watch it to know.
GOODBYE = 1


class Agent:
    def __init__(self, listener, screen, desktop):
        self._loop = Loop()
        self._processes = Processes(self._loop)
        self._screen, self._desktop, self._desktop_since = screen, desktop, time.monotonic()
        self._watchers, self._is_ending = set(), False
        os.mkfifo(SESSION)
        os.chmod(SESSION, 0o622)
        # Also opened for writing, so that it never reaches end of file and the session never blocks.
        self._session = os.open(SESSION, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._loop.watch(self._session, READ, self._reported)
        self._listener = listener
        self._loop.watch(self._listener.fileno(), READ, self._accept)
        wake, self._wake = socket.socketpair()
        wake.setblocking(False)
        self._wake.setblocking(False)
        self._wake_out = wake
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        self._loop.watch(self._wake.fileno(), READ, self._signalled)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPWR):
            signal.signal(number, lambda *_: None)
        self._served = {
            'exec': self._processes.start,
            'stream': self._processes.attach,
            'watch': self._watch,
            'dial': self._dial,
            'ping': self._ping,
            'activity': self._activity,
        }

    def run(self):
        self._reap()
        self._loop.run()

    def _signalled(self, events):
        numbers = self._wake.recv(4096)
        if any(number in numbers for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPWR)):
            self._say_goodbye()
        self._reap()

    def _say_goodbye(self):
        """Who watches may be far away, and what is on the way to it is lost with the machine. It closes its connection when it knows."""
        self._report(b'{"ending": true}\n')
        self._is_ending = True
        self._end_if_known()
        self._loop.after(GOODBYE, self._end)

    def _end_if_known(self):
        if self._is_ending and not self._watchers:
            self._end()

    def _end(self):
        os._exit(0)

    def _reported(self, events):
        self._report(os.read(self._session, 4096))

    def _report(self, lines):
        for watcher in self._watchers:
            try:
                watcher.send(lines)
            except OSError:
                pass  # It has disconnected, or does not read.

    def _reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            self._reaped(pid, status)

    def _reaped(self, pid, status):
        if pid == self._desktop:
            self._restart_desktop()
        else:
            self._processes.ended(pid, status)

    def _restart_desktop(self):
        """Restarts the desktop immediately if it ran for a while, and after a second otherwise."""
        wait = 0 if time.monotonic() - self._desktop_since > 1 else 1
        self._end_desktop()
        self._start_desktop(wait)
        self._report(b'{"restarted": "display"}\n')

    def _end_desktop(self):
        try:
            os.killpg(self._desktop, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def _start_desktop(self, wait=0, ready=None):
        """The desktop writes a line to the descriptor `ready` when the display accepts requests."""
        self._desktop_since = time.monotonic() + wait
        script = os.path.join(os.path.dirname(__file__), 'desktop')
        self._desktop = os.fork()
        if self._desktop:
            return
        # Whatever fails here, this child must not continue as a second agent.
        try:
            signal.set_wakeup_fd(-1)
            os.setsid()
            if ready is not None:
                os.dup2(ready, 4)
            time.sleep(wait)
            for stale in ('/tmp/.X0-lock', '/tmp/.X11-unix/X0', '/run/sandglass/sockets/rfb'):
                if os.path.lexists(stale):
                    os.unlink(stale)
            Account('user').become()
            os.execv(script, [script, self._screen])
        finally:
            os._exit(127)

    def _accept(self, events):
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        held = bytearray()

        def readable(events):
            try:
                # Read only the request itself, because the bytes after it belong to what it starts.
                seen = connection.recv(65536, socket.MSG_PEEK)
                end = seen.find(b'\n') + 1
                held.extend(connection.recv(end or len(seen)) if seen else b'')
            except BlockingIOError:
                return
            except OSError:
                seen = b''
            if not seen or len(held) > LINE_LIMIT:
                self._loop.forget(connection.fileno())
                connection.close()
            elif end:
                self._loop.forget(connection.fileno())
                self._serve(connection, bytes(held))

        self._loop.watch(connection.fileno(), READ, readable)

    def _serve(self, connection, line):
        try:
            request = json.loads(line)
            self._served.get(request['op'], self._fork)(connection, request)
        except Exception as error:
            self._refuse(connection, error)

    def _refuse(self, connection, error):
        try:
            connection.send(json.dumps(files.failure(error)).encode() + b'\n')
        except OSError:
            pass
        connection.close()

    def _ping(self, connection, request):
        connection.send(b'{"ok": true}\n')
        connection.close()

    def _watch(self, connection, request):
        self._watchers.add(connection)

        def gone(events):
            self._watchers.discard(connection)
            self._loop.forget(connection.fileno())
            connection.close()
            self._end_if_known()

        connection.send(b'{"ok": true}\n')
        self._loop.watch(connection.fileno(), READ, gone)
        import subprocess  # noqa: F401  Loaded now, so that the first program starts faster.

    def _activity(self, connection, request):
        """Answers now, and again whenever something arrives on the connection."""
        from activity import activity  # Only some hosts ask for it.

        def answer():
            line = json.dumps(activity()).encode() + b'\n'
            if connection.send(line) < len(line):
                raise ConnectionError('the answers are not read')

        def asked(events):
            try:
                if not connection.recv(4096):
                    raise ConnectionError('the host has disconnected')
                answer()
            except OSError:
                self._loop.forget(connection.fileno())
                connection.close()

        answer()
        self._loop.watch(connection.fileno(), READ, asked)

    def _dial(self, connection, request):
        target = socket.socket(socket.AF_UNIX if 'unix' in request else socket.AF_INET)
        target.setblocking(False)
        if 'unix' not in request:
            target.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        address = request['unix'] if 'unix' in request else (request['host'], request['port'])

        def settled(events):
            self._loop.forget(target.fileno())
            code = target.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                target.close()
                self._refuse(connection, OSError(code, os.strerror(code)))
            else:
                connection.send(b'{"ok": true}\n')
                join(self._loop, connection, target)

        try:
            code = target.connect_ex(address)
            if code not in (0, errno.EINPROGRESS):
                raise OSError(code, os.strerror(code))
        except Exception:
            target.close()
            raise
        self._loop.watch(target.fileno(), WRITE, settled)

    def _fork(self, connection, request):
        if os.fork():
            connection.close()
            return
        signal.set_wakeup_fd(-1)
        connection.setblocking(True)
        files.serve(connection, request)
        os._exit(0)

