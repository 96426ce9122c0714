"""What is on the screen, as uiautomator tells it."""
from xml.sax.saxutils import quoteattr

from gi.repository import Gtk

CLASSES = (
    (Gtk.Switch, 'android.widget.Switch'),
    (Gtk.Button, 'android.widget.Button'),
    (Gtk.Entry, 'android.widget.EditText'),
    (Gtk.TextView, 'android.widget.EditText'),
    (Gtk.Label, 'android.widget.TextView'),
    (Gtk.Image, 'android.widget.ImageView'),
    (Gtk.Scale, 'android.widget.SeekBar'),
    (Gtk.ScrolledWindow, 'android.widget.ScrollView'),
    (Gtk.ListBox, 'android.widget.ListView'),
    (Gtk.Grid, 'android.widget.GridLayout'),
)


def dump(phone):
    lines = ["<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>", '<hierarchy rotation="0">']
    package = phone.front.package if phone.front else 'com.sandglass.launcher'
    _node(phone.window, 0, phone.window, package, phone.window.get_focus(), lines)
    lines.append('</hierarchy>')
    return ''.join(lines)


def _node(widget, index, window, package, focus, lines):
    at = widget.translate_coordinates(window, 0, 0) or (0, 0)
    size = widget.get_allocation()
    kind = _class(widget)
    tappable = isinstance(widget, (Gtk.Button, Gtk.Switch)) or _is_tappable_row(widget)
    editable = kind == 'android.widget.EditText'
    flags = {
        'checkable': isinstance(widget, Gtk.Switch),
        'checked': isinstance(widget, Gtk.Switch) and widget.get_active(),
        'clickable': tappable or editable,
        'enabled': widget.get_sensitive(),
        'focusable': editable,
        'focused': editable and widget is focus,
        'scrollable': isinstance(widget, Gtk.ScrolledWindow),
        'long-clickable': editable,
        'password': isinstance(widget, Gtk.Entry) and not widget.get_visibility(),
        'selected': False,
    }
    name = widget.get_name()
    attributes = {
        'index': index,
        'text': _text(widget),
        'resource-id': f'{package}:id/{name}' if name and not name.startswith('Gtk') else '',
        'class': kind,
        'package': package,
        'content-desc': _description(widget),
        **{key: str(value).lower() for key, value in flags.items()},
        'bounds': f'[{at[0]},{at[1]}][{at[0] + size.width},{at[1] + size.height}]',
    }
    children = [child for child in _children(widget) if child.get_mapped()]
    lines.append('<node ' + ' '.join(f'{key}={quoteattr(str(value), {chr(10): "&#10;"})}' for key, value in attributes.items()))
    lines.append('>' if children else ' />')
    for number, child in enumerate(children):
        _node(child, number, window, package, focus, lines)
    if children:
        lines.append('</node>')


def _children(widget):
    if not isinstance(widget, Gtk.Container) or isinstance(widget, (Gtk.Entry, Gtk.TextView)):
        return []
    # A button's words are its own text.
    return [] if isinstance(widget, Gtk.Button) and widget.get_label() else widget.get_children()


def _class(widget):
    for kind, name in CLASSES:
        if isinstance(widget, kind):
            return name
    return 'android.webkit.WebView' if 'WebView' in type(widget).__name__ else 'android.widget.FrameLayout'


def _text(widget):
    if isinstance(widget, Gtk.Entry):
        return widget.get_text() or widget.get_placeholder_text() or ''
    if isinstance(widget, Gtk.TextView):
        buffer = widget.get_buffer()
        return buffer.get_text(*buffer.get_bounds(), False)
    if isinstance(widget, Gtk.Button):
        return widget.get_label() or ''
    return widget.get_text() if isinstance(widget, Gtk.Label) else ''


def _description(widget):
    return (widget.get_accessible().get_name() or '') if isinstance(widget, Gtk.Button) and not widget.get_label() else ''


def _is_tappable_row(widget):
    return isinstance(widget, Gtk.ListBoxRow) and hasattr(widget.get_child(), 'on_tap')
