"""The time, while somebody looks."""
import time

from gi.repository import GLib

from apps.app import App
from widgets import bar, column, label


class Clock(App):
    package, label, icon = 'com.sandglass.clock', 'Clock', 'preferences-system-time-symbolic'

    def first(self):
        self._time = label('', 'huge')
        self._time.set_xalign(0.5)
        self._day = label('')
        self._day.set_xalign(0.5)
        page = column(bar('Clock'), self._time, self._day)
        page.connect('map', lambda _: self._tick())
        return page

    def _tick(self):
        if self._time.get_mapped() or not self._time.get_text():
            self._time.set_text(time.strftime('%H:%M:%S'))
            self._day.set_text(time.strftime('%A, %d %B %Y'))
            GLib.timeout_add(1000 - int(time.time() * 1000) % 1000, self._tick)
        return False
