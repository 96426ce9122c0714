"""Settings: those of Android's tables that this phone heeds, and what it is."""
from gi.repository import Gtk

from apps.app import App
from widgets import bar, column, label, row, rows, scrolled


class SettingsApp(App):
    package, label, icon = 'com.sandglass.settings', 'Settings', 'emblem-system-symbolic'

    def first(self):
        about = column(label('About phone'), label('Sandglass Simulator', 'faint'))
        about.on_tap = self._about
        page = column(bar('Settings'))
        content = rows(
            self._switch('Wi-Fi', 'global', 'wifi_on', '0', '1'),
            self._switch('Bluetooth', 'global', 'bluetooth_on', '0', '1'),
            self._switch('Airplane mode', 'global', 'airplane_mode_on', '0', '1'),
            self._switch('Dark theme', 'secure', 'ui_night_mode', '1', '2'),
            self._slider('Brightness', 'system', 'screen_brightness', 0, 255),
            self._switch('Large text', 'system', 'font_scale', '1.0', '1.3'),
            about,
        )
        page.pack_start(scrolled(content), True, True, 0)
        return page

    def _switch(self, text, table, key, off, on):
        settings = self.phone.settings
        made = Gtk.Switch(active=settings.get(table, key) == on, can_focus=False, valign=Gtk.Align.CENTER, name=key)
        made.connect('notify::active', lambda *_: settings.put(table, key, on if made.get_active() else off))
        line = row(label(text), None, made)
        line.on_tap = lambda: made.set_active(not made.get_active())
        return line

    def _slider(self, text, table, key, low, high):
        settings = self.phone.settings
        made = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, low, high, 1)
        made.set_draw_value(False)
        made.set_can_focus(False)
        made.set_name(key)
        made.set_value(float(settings.get(table, key)))
        made.connect('value-changed', lambda _: settings.put(table, key, str(round(made.get_value()))))
        return column(label(text), made, spacing=24)

    def _about(self):
        facts = [('Model', 'Sandglass Simulator'), ('Kind', 'A simulator of a phone. This is not Android.'), ('System', 'Debian GNU/Linux')]
        self.open(column(bar('About phone', back=self.phone.back), rows(*(column(label(name), label(value, 'faint', wrap=True)) for name, value in facts))))
