"""Process 1 of a virtual machine: the agent, with what a container gets from its runtime. The host says who the machine is before
the desktop starts, and once more whenever the machine continues from saved memory."""
import glob
import os
import signal

from identity import adopt, set_clock
from loop import READ
from server import Agent

PORT = 'org.sandglass.channel'
RB_POWER_OFF = 0x4321FEDC


class VirtualMachineAgent(Agent):
    def __init__(self, listener):
        super().__init__(listener, None, None)
        self._environment, self._looks = dict(os.environ), None
        self._served.update(adopt=self._adopt, clock=self._clock, sync=self._sync)
        self._start_channel()

    def _end(self):
        import ctypes  # Slow to load, and needed once.

        os.sync()
        ctypes.CDLL(None).reboot(ctypes.c_int(RB_POWER_OFF))

    def _reaped(self, pid, status):
        if pid == self._channel:
            self._start_channel()
        else:
            super()._reaped(pid, status)

    def _start_channel(self):
        """The process through which everything reaches this machine."""
        self._channel = os.fork()
        if self._channel:
            return
        try:
            signal.set_wakeup_fd(-1)
            program = os.path.join(os.path.dirname(__file__), 'channel.py')
            os.execv('/usr/bin/python3', ['python3', '-ISB', program, port_of(PORT)])
        finally:
            os._exit(127)

    def _clock(self, connection, request):
        set_clock(request['time'])
        self._ping(connection, request)

    def _sync(self, connection, request):
        """Answers when everything that programs have written is on the disk. In a process of its own, because that may take long."""
        if not os.fork():
            os.sync()
            self._ping(connection, request)
            os._exit(0)
        connection.close()

    def _adopt(self, connection, identity):
        """Answers when the display accepts requests. A desktop that has the right size and environment already goes on."""
        adopt(identity)
        looks = (identity['screen'], identity['env'])
        if looks == self._looks:
            self._ping(connection, identity)
            return
        if self._desktop is not None:
            self._end_desktop()
        self._looks, self._screen = looks, identity['screen']
        os.environ.clear()
        os.environ.update(self._environment)
        os.environ.update(identity['env'])
        ready, writer = os.pipe()
        self._start_desktop(ready=writer)
        os.close(writer)

        def started(events):
            self._loop.close(ready)
            self._ping(connection, identity)

        self._loop.watch(ready, READ, started)


def port_of(name):
    """The device of a virtio port. There is no udev here that would give it a name."""
    for path in glob.glob('/sys/class/virtio-ports/*/name'):
        with open(path) as file:
            if file.read().strip() == name:
                return '/dev/' + os.path.basename(os.path.dirname(path))
    raise FileNotFoundError(f'there is no port {name}')
