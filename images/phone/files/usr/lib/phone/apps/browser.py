"""A browser: WebKit below an address bar."""
from gi.repository import Gtk, WebKit2

from apps.app import App
from widgets import button, column, entry, row

START = '''<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Start</title>
<body style="font: 20px Inter; padding: 32px; opacity: 0.6"><h1>Browser</h1><p>Type an address above.</p>'''


class Context(WebKit2.InputMethodContext):
    """Tells when something in the page can be typed into."""

    def __init__(self, on_focus):
        super().__init__()
        self._on_focus = on_focus

    def do_notify_focus_in(self):
        self._on_focus(True)

    def do_notify_focus_out(self):
        self._on_focus(False)


class Browser(App):
    package, label, icon = 'com.sandglass.browser', 'Browser', 'web-browser-symbolic'

    def first(self):
        self._view = WebKit2.WebView(zoom_level=2)
        self._view.set_input_method_context(Context(self.phone.show_keyboard))
        self._address = entry('Search or type a web address', 'address')
        self._address.connect('activate', lambda _: self._go(self._address.get_text()))
        self._view.connect('notify::uri', lambda *_: self._address.set_text(self._shown()))
        self._view.load_html(START, 'about:blank')
        reload = button(icon='view-refresh-symbolic', on_click=self._view.reload, description='Reload')
        page = column(row(self._address, reload, name='bar'))
        page.pack_start(self._view, True, True, 0)
        self._view.set_vexpand(True)
        return page

    def opened(self, data):
        if data:
            self._go(data)

    def back(self):
        if not self._view.can_go_back():
            return False
        self._view.go_back()
        return True

    def type(self, target, text):
        if target is not self._view:
            return False
        if text == '\b':
            self._view.execute_editing_command('DeleteBackward')
        elif text == '\n':
            self.phone.fingers.keys([0xff0d], lambda: None)
        else:
            self._view.execute_editing_command_with_argument('InsertText', text)
        return True

    def _shown(self):
        uri = self._view.get_uri() or ''
        return '' if uri.startswith('about:') else uri

    def _go(self, address):
        if address:
            self._view.load_uri(address if ':' in address.split('/')[0] else f'http://{address}')
            self._view.grab_focus()
