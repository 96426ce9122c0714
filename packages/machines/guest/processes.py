"""Runs programs for the service. Each has a control connection and one connection per stream."""
import fcntl
import json
import os
import signal
import struct
import termios

from accounts import Account
from descent import descendants
from loop import READ
from pump import EndOfInput, OutputPump, Pump, TerminalInputPump, TerminalOutputPump
from spawn import Ends
from supervisor import Supervisor

IS_GVISOR = os.path.exists('/proc/sentry-meminfo')


class Processes:
    def __init__(self, loop):
        self._loop = loop
        self._by_token = {}
        self._by_pid = {}

    def start(self, connection, request):
        process = Process(self._loop, connection, request)
        if not process.is_supervised:
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
        self._ended, self._line, self._outputs, self._supervisor, self.pid = False, b'', [], None, None
        self._end_of_input = EndOfInput()
        account = Account(request.get('user', 'user'))
        size = request.get('terminal')
        self._ends = Ends(account, size is not None)
        try:
            if size:
                self.resize(size)
            if request.get('whole'):
                spawn = lambda: self._ends.spawn(request, account)  # noqa: E731
                self._supervisor = Supervisor(loop, spawn, self.ended, self._gone)
                self.pid = self._supervisor.pid
            else:
                self.pid = self._ends.spawn(request, account)
        except BaseException:
            self._ends.close_ours()
            raise
        finally:
            self._ends.close_theirs()
        connection.setblocking(False)
        loop.watch(connection.fileno(), READ, self._control)

    @property
    def is_supervised(self):
        return self._supervisor is not None

    def send(self, message):
        try:
            self._connection.send(json.dumps(message).encode() + b'\n')
        except OSError:
            pass

    def attach(self, connection, number):
        stream = self._ends.ours.pop(number, None)
        if stream is None:
            connection.close()
        elif number > 0:
            self._outputs.append(self._output(stream, connection.detach()))
            if self._ended:
                self._end_outputs()
        elif self._ends.master is not None:
            TerminalInputPump(self._loop, connection.detach(), stream, self._end_of_input)
        else:
            Pump(self._loop, connection.detach(), stream, False)

    def _output(self, stream, connection):
        if self._ends.master is None:
            return OutputPump(self._loop, stream, connection)
        return TerminalOutputPump(self._loop, stream, connection, self._end_of_input)

    def resize(self, size):
        if self._ends.master is not None:
            packed = struct.pack('HHHH', size['rows'], size['columns'], 0, 0)
            fcntl.ioctl(self._ends.master, termios.TIOCSWINSZ, packed)
            if IS_GVISOR and self.pid and not self._ended:
                self._tell_size()

    def _tell_size(self):
        """Linux signals a new size to the programs in the foreground, and gVisor to none. This reaches all, because
        gVisor does not tell which are in the foreground; a program that does not expect the signal ignores it."""
        for pid in [self.pid, *descendants(self.pid)]:
            try:
                os.kill(pid, signal.SIGWINCH)
            except OSError:
                pass  # It has just ended.

    def kill(self, number):
        if number == signal.SIGKILL and self._supervisor:
            self._supervisor.end_all()
        elif not self._ended:
            # Until the agent has reaped it, its process id is not reused. A supervised program is reaped by its
            # supervisor.
            below = descendants(self.pid) if number == signal.SIGKILL else []
            for target, to in [(self.pid, os.killpg), *((pid, os.kill) for pid in below)]:
                try:
                    to(target, number)
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
        self._end_outputs()

    def _end_outputs(self):
        # A terminal ends by itself together with its first program.
        if self._ends.master is None:
            for pump in self._outputs:
                pump.end_after_what_is_there()

    def _gone(self):
        """Called when neither a supervised program nor anything that it started is left."""
        if not self._ended:
            self.ended(signal.SIGKILL)  # The supervisor itself was killed by root.
        # The connection stays open, because the service may still attach the streams.
        self.send({'gone': True})

    def _close(self):
        # Processes that an ended program left behind continue to run, as in any session.
        if not self._detached and not self._ended:
            self.kill(signal.SIGKILL)
        if self._supervisor:
            self._supervisor.release()
        self._loop.forget(self._connection.fileno())
        self._connection.close()
        self._ends.close_ours()
        self.on_close()
