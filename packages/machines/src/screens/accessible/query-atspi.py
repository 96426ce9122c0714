"""Prints the UI elements that the programs of a desktop expose over AT-SPI, one JSON object per line, or the reason
for a failure on stderr. With {"path", "role", "name", "text"} on stdin, it replaces the text of that element
instead, and prints why that failed, or nothing on success."""
import json
import os
import sys
import time

# What is not read by then is left out. The service waits a few seconds longer, for a busy machine to start this script.
UNTIL = time.monotonic() + 4

MAX_ELEMENTS = 5000
MAX_CHILDREN = 500
MAX_DEPTH = 100
MAX_TEXT = 10_000
# The service reads no more than this.
MAX_BYTES = 4 * 1024 * 1024
# A program that takes longer than this for one answer is skipped.
TIMEOUT_MS = 500

ROLES = {
    'push button': 'button', 'toggle button': 'switch', 'check box': 'checkbox', 'radio button': 'radio', 'entry': 'edit', 'password text': 'edit',
    'label': 'text', 'static': 'text', 'paragraph': 'text', 'heading': 'text', 'icon': 'image', 'combo box': 'combobox', 'progress bar': 'progress',
    'scroll pane': 'scroll', 'list box': 'list', 'tree': 'list', 'tree table': 'list', 'table': 'list', 'list item': 'item', 'table cell': 'item',
    'page tab': 'tab', 'page tab list': 'tabs', 'frame': 'window', 'menu item': 'menuitem', 'menu bar': 'menubar', 'tool bar': 'toolbar',
    'document web': 'web', 'document frame': 'web', 'panel': 'group', 'filler': 'group', 'section': 'group', 'unknown': 'group',
    'redundant object': 'group', 'layered pane': 'group', 'scroll bar': 'scrollbar', 'check menu item': 'menuitem', 'radio menu item': 'menuitem',
    **{name: name for name in ('text', 'image', 'slider', 'list', 'link', 'menu', 'dialog', 'alert', 'separator', 'terminal', 'window')},
}


def fail(why):
    sys.exit(why)


try:
    import gi

    gi.require_version('Atspi', '2.0')
    from gi.repository import Atspi, GLib
except (ImportError, ValueError):
    fail('The image of this desktop has no AT-SPI: add at-spi2-core, gir1.2-atspi-2.0 and python3-gi to it.')

if not os.path.exists(os.environ.get('DBUS_SESSION_BUS_ADDRESS', '').removeprefix('unix:path=')):
    fail('This desktop has no session bus, over which programs expose their UI elements.')

Atspi.init()
Atspi.set_timeout(TIMEOUT_MS, TIMEOUT_MS)
found = []
size = 0


class Hangs(Exception):
    """A program does not answer. Each further question to it would take as long again."""


class answers:
    """Questions to one program: it hangs if one of them failed after it had its time."""

    def __enter__(self):
        self.began = time.monotonic()

    def __exit__(self, kind, error, trace):
        if kind and issubclass(kind, GLib.Error) and time.monotonic() - self.began >= TIMEOUT_MS / 1000:
            raise Hangs() from error


def visit(node, path):
    global size
    depth = path.count('/')
    if len(found) >= MAX_ELEMENTS or depth > MAX_DEPTH or size > MAX_BYTES or time.monotonic() > UNTIL:
        return
    try:
        with answers():
            states = node.get_state_set()
            if depth > 0 and not states.contains(Atspi.StateType.SHOWING):
                return
            element = describe(node, states, path)
            children = min(node.get_child_count(), MAX_CHILDREN)
    except GLib.Error:
        return  # The element is gone.
    if element:
        line = json.dumps(element, ensure_ascii=False).encode(errors='replace') + b'\n'
        size += len(line)
        if size > MAX_BYTES:
            return
        found.append(line)
    for index in range(children):
        try:
            with answers():
                child = node.get_child_at_index(index)
        except GLib.Error:
            return
        if child:
            visit(child, f'{path}/{index}')


def describe(node, states, path):
    component = node.get_component_iface()
    box = component.get_extents(Atspi.CoordType.SCREEN) if component else None
    if not box or box.width <= 0 or box.height <= 0:
        return None
    word = node.get_role_name() or ''
    role = ROLES.get(word, 'group')
    is_password = word == 'password text'
    is_editable = states.contains(Atspi.StateType.EDITABLE)
    name = (node.get_name() or '')[:MAX_TEXT]
    text = '' if is_password else text_of(node)
    actions = actions_of(node, states, role)
    if role == 'group' and not (name or text or actions):
        return None
    flags = (
        ('checked', states.contains(Atspi.StateType.CHECKED) or states.contains(Atspi.StateType.PRESSED)),
        ('disabled', not states.contains(Atspi.StateType.SENSITIVE)),
        ('focused', states.contains(Atspi.StateType.FOCUSED)),
        ('password', is_password),
        ('selected', states.contains(Atspi.StateType.SELECTED)),
        ('expanded', states.contains(Atspi.StateType.EXPANDED)),
    )
    return {
        'role': 'edit' if is_editable else role,
        'name': '' if name == text else name,
        'text': text,
        'bounds': {'x': box.x, 'y': box.y, 'width': box.width, 'height': box.height},
        'states': [flag for flag, holds in flags if holds],
        'actions': actions,
        'path': path,
        'depth': path.count('/'),
    }


def text_of(node):
    text = node.get_text_iface()
    if not text:
        return ''
    return Atspi.Text.get_text(text, 0, min(Atspi.Text.get_character_count(text), MAX_TEXT)).replace('\ufffc', '')


def actions_of(node, states, role):
    action = node.get_action_iface()
    made = ['click'] if action and action.get_n_actions() > 0 else []
    made += ['scroll'] if role == 'scroll' else []
    return made + (['type'] if states.contains(Atspi.StateType.EDITABLE) else [])


def programs():
    """Yields the windows of each program, with their paths, which consist of the process id and the index of the window."""
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        try:
            program = desktop.get_child_at_index(number)
            count = program.get_child_count() if program else 0
            shown = [(program.get_child_at_index(index), f'{program.get_process_id()}.{index}') for index in range(count)]
        except GLib.Error:
            continue  # The program is gone, or does not answer.
        yield [pair for pair in shown if pair[0]]


def find(path):
    root, *way = path.split('/')
    node = next((window for windows in programs() for window, name in windows if name == root), None)
    for index in way:
        node = node and node.get_child_at_index(int(index))
    return node


def set_text(path, role, name, text):
    """Returns why the element did not get the text, or an empty string on success."""
    node = find(path)
    states = node and node.get_state_set()
    element = describe(node, states, path) if node and states.contains(Atspi.StateType.SHOWING) else None
    if not element or (element['role'], element['name']) != (role, name) or 'type' not in element['actions']:
        return 'it is gone or has changed'
    if not Atspi.EditableText.set_text_contents(node.get_editable_text_iface(), text):
        return 'its program does not accept text over AT-SPI'
    if 'password' in element['states']:
        return ''
    held = node.get_text_iface()
    is_so = Atspi.Text.get_text(held, 0, Atspi.Text.get_character_count(held)) == text
    return '' if is_so else 'its program changed the text'


request = sys.stdin.read()
if request:
    try:
        refusal = set_text(**json.loads(request))
    except GLib.Error as error:
        refusal = f'its program does not answer: {error.message}'
    sys.stdout.write(refusal)
else:
    for windows in programs():
        if time.monotonic() > UNTIL:
            break
        try:
            for window, path in windows:
                visit(window, path)
        except Hangs:
            continue
    sys.stdout.buffer.write(b''.join(found))
