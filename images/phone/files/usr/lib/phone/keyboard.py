"""The on-screen keyboard: letters, and figures and signs behind ?123."""
from gi.repository import Gtk

from widgets import button

LETTERS = ('qwertyuiop', 'asdfghjkl', 'zxcvbnm')
SIGNS = ('1234567890', '@#$%&-+()', '*"\':;!?')


class Keyboard(Gtk.Box):
    def __init__(self, type_text):
        super().__init__(orientation=Gtk.Orientation.VERTICAL, spacing=8, name='keyboard', no_show_all=True)
        self._type = type_text
        self._is_shifted = False
        self._signs = False
        self._lay()

    def _lay(self):
        for line in self.get_children():
            self.remove(line)
        for number, keys in enumerate(SIGNS if self._signs else LETTERS):
            line = Gtk.Box(spacing=6, homogeneous=number < 2)
            if number == 2:
                line.pack_start(self._key('⇧', self._shift, 'Shift'), False, True, 0)
            for key in keys.upper() if self._is_shifted else keys:
                line.pack_start(self._key(key, lambda key=key: self._typed(key)), True, True, 0)
            if number == 2:
                line.pack_start(self._key('⌫', lambda: self._type('\b'), 'Delete'), False, True, 0)
            self._add(line)
        last = Gtk.Box(spacing=6)
        last.pack_start(self._key('ABC' if self._signs else '?123', self._swap, 'Symbols'), False, True, 0)
        last.pack_start(self._key(',', lambda: self._typed(',')), False, True, 0)
        last.pack_start(self._key('space', lambda: self._typed(' '), 'Space'), True, True, 0)
        last.pack_start(self._key('.', lambda: self._typed('.')), False, True, 0)
        last.pack_start(self._key('⏎', lambda: self._type('\n'), 'Enter'), False, True, 0)
        self._add(last)

    def _add(self, line):
        self.pack_start(line, False, False, 0)
        line.show_all()

    def _key(self, text, on_click, description=None):
        key = button(text, on_click=on_click, description=description or text)
        key.get_style_context().add_class('key')
        return key

    def _typed(self, key):
        self._type(key)
        if self._is_shifted:
            self._shift()

    def _shift(self):
        self._is_shifted = not self._is_shifted
        self._lay()

    def _swap(self):
        self._signs = not self._signs
        self._lay()
