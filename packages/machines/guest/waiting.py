"""Process 1 of a container that was started before anybody wanted a machine: the agent, loaded, with no desktop yet. The host says once
which machine it is."""
import ctypes  # noqa: F401  What programs and other requests need is loaded while nobody waits.
import os
import subprocess  # noqa: F401

from server import Agent


class WaitingAgent(Agent):
    def __init__(self, listener):
        super().__init__(listener, None, None)
        self._served['begin'] = self._begin

    def _begin(self, connection, request):
        del self._served['begin']
        os.environ.update(request['env'])
        self._screen = request['screen']
        self._start_desktop()
        self._ping(connection, request)
