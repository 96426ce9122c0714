"""The window: a status bar, the app in front, the keyboard when something can be typed into, and back and home."""
import time

from gi.repository import Gdk, GLib, Gtk

from home import Home
from keyboard import Keyboard
from store import Settings
from style import apply_style
from widgets import button, label, row


class Phone:
    def __init__(self, apps, fingers):
        self.apps = {app.package: app for app in apps}
        self.fingers = fingers
        self.settings = Settings()
        self.running = {}
        self.front = None
        # A screen at rest is at rest: nothing blinks.
        Gtk.Settings.get_default().set_property('gtk-cursor-blink', False)
        self.window = Gtk.Window()
        self.keyboard = Keyboard(self.type)
        self._stack = Gtk.Stack()
        self._clock = label('', 'time')
        self._home = Home(list(self.apps.values()), self.start)
        self._stack.add_named(self._home, 'home')
        self.window.add(self._layout())
        self.window.connect('set-focus', lambda window, widget: self.show_keyboard(is_editable(widget)))
        self.settings.on_change = lambda: apply_style(self.settings)
        apply_style(self.settings)
        self._tick()

    def _layout(self):
        layout = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        marks = row(label('Simulator', 'mark'), Gtk.Image.new_from_icon_name('battery-full-charged-symbolic', 3))
        status = row(self._clock, None, marks, name='status')
        layout.pack_start(status, False, False, 0)
        layout.pack_start(self._stack, True, True, 0)
        layout.pack_start(self.keyboard, False, False, 0)
        back = button(icon='go-previous-symbolic', on_click=self.back, description='Back', name='nav-back')
        home = button(icon='media-record-symbolic', on_click=self.home, description='Home', name='nav-home')
        bar = row(back, home, name='navigation')
        bar.set_homogeneous(True)
        layout.pack_start(bar, False, False, 0)
        return layout

    def show(self):
        screen = Gdk.Screen.get_default()
        self.window.set_decorated(False)
        self.window.set_default_size(screen.get_width(), screen.get_height())
        self.window.move(0, 0)
        self.window.show_all()
        self.keyboard.hide()
        window = self.window.get_window()
        window.set_cursor(Gdk.Cursor.new_from_name(window.get_display(), 'none'))
        window.focus(Gdk.CURRENT_TIME)
        # The machine is ready when a window manager has taken over, which this is.
        GLib.idle_add(lambda: self.fingers.announce() and False)

    def start(self, package, data=None):
        app = self.running.get(package)
        if not app:
            app = self.running[package] = self.apps[package](self)
            app.widget.show_all()
            self._stack.add_named(app.widget, package)
        self.front = app
        self._stack.set_visible_child_name(package)
        self.window.set_focus(None)
        app.opened(data)

    def close(self, package):
        app = self.running.pop(package, None)
        if not app:
            return
        if self.front is app:
            self.home()
        self._stack.remove(app.widget)
        app.widget.destroy()

    def home(self):
        self.front = None
        self.window.set_focus(None)
        self._home.first_page()
        self._stack.set_visible_child_name('home')

    def back(self):
        if self.keyboard.get_visible():
            self.window.set_focus(None)
            self.show_keyboard(False)
        elif self.front and not self.front.back():
            self.home()

    @property
    def component(self):
        return f'{self.front.package}/.MainActivity' if self.front else 'com.sandglass.launcher/.HomeActivity'

    def show_keyboard(self, is_wanted):
        self.keyboard.set_visible(is_wanted)

    def type(self, text):
        """Into what has the focus, as an input method does: text, or one of the keys `\\b` and `\\n`."""
        target = self.window.get_focus()
        if self.front and self.front.type(target, text):
            return True
        if isinstance(target, Gtk.Editable):
            type_into_entry(target, text)
        elif isinstance(target, Gtk.TextView):
            type_into_text(target.get_buffer(), text)
        else:
            return False
        return True

    def _tick(self):
        now = time.strftime('%H:%M')
        self._clock.set_text(now)
        self._home.tell(now, time.strftime('%A, %d %B').replace(' 0', ' '))
        GLib.timeout_add(1000 * (60 - time.localtime().tm_sec), self._tick)
        return False


def is_editable(widget):
    return isinstance(widget, (Gtk.Editable, Gtk.TextView))


def type_into_entry(entry, text):
    if text == '\n':
        entry.emit('activate')
        return
    if entry.get_selection_bounds():
        entry.delete_selection()
        if text == '\b':
            return
    at = entry.get_position()
    if text == '\b':
        entry.delete_text(max(0, at - 1), at)
    else:
        entry.set_position(entry.insert_text(text, at))


def type_into_text(buffer, text):
    if buffer.delete_selection(True, True) and text == '\b':
        return
    if text == '\b':
        buffer.backspace(buffer.get_iter_at_mark(buffer.get_insert()), True, True)
    else:
        buffer.insert_at_cursor(text)
