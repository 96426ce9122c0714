"""An app: pages of which the last opened is in front; going back closes it."""
from gi.repository import Gtk


class App:
    package = label = icon = ''

    def __init__(self, phone):
        self.phone = phone
        self.widget = Gtk.Stack()
        self._pages = []
        self.open(self.first())

    def first(self):
        """The page that it begins with."""
        raise NotImplementedError

    def opened(self, data):
        """It came to the front, perhaps with an intent's data."""

    def type(self, target, text):
        """Whether it typed this itself."""
        return False

    def open(self, page):
        page.show_all()
        self.widget.add(page)
        self._pages.append(page)
        self.widget.set_visible_child(page)

    def back(self):
        """Whether there was a page to close."""
        if len(self._pages) < 2:
            return False
        page = self._pages.pop()
        self.phone.window.set_focus(None)
        self.widget.set_visible_child(self._pages[-1])
        self.widget.remove(page)
        page.destroy()
        self.returned()
        return True

    def returned(self):
        """A page before is in front again."""
