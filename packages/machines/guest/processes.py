"""Programs run for the service: a control connection each, and one connection for each of their streams."""
import fcntl
import json
import os
import signal
import struct
import termios

from accounts import Account
from loop import READ
from pump import Pump


def popen(*arguments, **options):
    # Slow to load: whoever watches the machine has it loaded ahead, after the desktop is up.
    import subprocess

    return subprocess.Popen(*arguments, **options)


class Processes:
    def __init__(self, loop):
        self._loop = loop
        self._by_token = {}
        self._by_pid = {}

    def start(self, connection, request):
        process = Process(self._loop, connection, request)
        self._by_pid[process.pid] = process
        self._by_token[process.token] = process
        process.on_close = lambda: self._by_token.pop(process.token, None)
        process.send({'ok': True, 'pid': process.pid})

    def attach(self, connection, request):
        process = self._by_token[request['token']]
        connection.send(b'{"ok": true}\n')
        process.attach(connection, request['stream'])

    def ended(self, pid, status):
        process = self._by_pid.pop(pid, None)
        if process:
            process.ended(status)


class Process:
    def __init__(self, loop, connection, request):
        self.token = request['token']
        self.on_close = lambda: None
        self._loop, self._connection, self._detached = loop, connection, request.get('detached', False)
        self._ended, self._line, self._streams = False, b'', {}
        account = Account(request.get('user', 'user'))
        size = request.get('terminal')
        common = dict(
            cwd=os.path.join(account.home, request.get('cwd') or ''), env=account.environment(request.get('env', {})),
            user=account.uid, group=account.gid, extra_groups=account.groups, umask=0o022, start_new_session=True,
        )
        command = [request['executable'], *request.get('args', [])]
        if size:
            master, slave = os.openpty()
            os.fchown(slave, account.uid, account.gid)
            self._master = master
            self.resize(size)
            try:
                child = popen(command, stdin=slave, stdout=slave, stderr=slave, **common,
                              preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            except BaseException:
                os.close(master)
                raise
            finally:
                os.close(slave)
            self._streams = {0: os.dup(master), 1: os.dup(master)}
        else:
            self._master = None
            child = self._spawn_with_pipes(command, account, common)
        self.pid = child.pid
        # The agent reaps every child itself; the object must not try to when it is collected.
        child.returncode = 0
        connection.setblocking(False)
        loop.watch(connection.fileno(), READ, self._control)

    def _spawn_with_pipes(self, command, account, common):
        pipes = [os.pipe() for _ in range(3)]
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err) = pipes
        # The user's own, so that /dev/stdout and /dev/stderr can be opened by name.
        for read_end, _ in pipes:
            os.fchown(read_end, account.uid, account.gid)
        try:
            child = popen(command, stdin=theirs_in, stdout=theirs_out, stderr=theirs_err, **common)
        except BaseException:
            for end in (ours_in, ours_out, ours_err):
                os.close(end)
            raise
        finally:
            for end in (theirs_in, theirs_out, theirs_err):
                os.close(end)
        self._streams = {0: ours_in, 1: ours_out, 2: ours_err}
        return child

    def send(self, message):
        try:
            self._connection.send(json.dumps(message).encode() + b'\n')
        except OSError:
            pass

    def attach(self, connection, number):
        stream = self._streams.pop(number, None)
        if stream is None:
            connection.close()
        elif number == 0:
            Pump(self._loop, connection.detach(), stream, False)
        else:
            Pump(self._loop, stream, connection.detach(), True)

    def resize(self, size):
        if self._master is not None:
            packed = struct.pack('HHHH', size['rows'], size['columns'], 0, 0)
            fcntl.ioctl(self._master, termios.TIOCSWINSZ, packed)

    def kill(self, number):
        """The id of a group stays taken while any member lives, so this never reaches another one."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def _control(self, events):
        try:
            chunk = self._connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            chunk = b''
        if not chunk:
            self._close()
            return
        *lines, self._line = (self._line + chunk).split(b'\n')
        for line in lines:
            message = json.loads(line)
            if 'kill' in message:
                self.kill(message['kill'])
            if 'resize' in message:
                self.resize(message['resize'])

    def ended(self, status):
        self._ended = True
        code = os.waitstatus_to_exitcode(status)
        self.send({'code': code} if code >= 0 else {'code': 128 - code, 'signal': -code})

    def _close(self):
        # What a program that has ended left running goes on, as it would in any session.
        if not self._detached and not self._ended:
            self.kill(signal.SIGKILL)
        self._loop.forget(self._connection.fileno())
        self._connection.close()
        for stream in self._streams.values():
            os.close(stream)
        self._streams = {}
        if self._master is not None:
            os.close(self._master)
            self._master = None
        self.on_close()
