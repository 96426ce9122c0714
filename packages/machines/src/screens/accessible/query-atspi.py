"""Prints what the programs of a desktop tell of what they show (AT-SPI), as one JSON list. Says on stderr why it cannot.
With {"path", "role", "name", "text"} on stdin, puts the text in place of what that element holds, and prints
why it did not get it, or nothing where it has it then."""
import json
import os
import sys

MOST = 5000
MOST_CHILDREN = 500
DEEPEST = 100
LONGEST_TEXT = 10_000
# A program that hangs is passed over after so long.
ANSWER_MS = 500

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
    fail('This desktop has no session bus, by which programs tell what they show.')

Atspi.init()
Atspi.set_timeout(ANSWER_MS, ANSWER_MS)
found = []


def visit(node, path):
    depth = path.count('/')
    if len(found) >= MOST or depth > DEEPEST:
        return
    try:
        states = node.get_state_set()
        if depth > 0 and not states.contains(Atspi.StateType.SHOWING):
            return
        element = told(node, states, path)
        children = min(node.get_child_count(), MOST_CHILDREN)
    except GLib.Error:
        return  # It has gone, or does not answer.
    if element:
        found.append(element)
    for index in range(children):
        try:
            child = node.get_child_at_index(index)
        except GLib.Error:
            return
        if child:
            visit(child, f'{path}/{index}')


def told(node, states, path):
    component = node.get_component_iface()
    box = component.get_extents(Atspi.CoordType.SCREEN) if component else None
    if not box or box.width <= 0 or box.height <= 0:
        return None
    word = node.get_role_name() or ''
    role = ROLES.get(word, 'group')
    is_password = word == 'password text'
    is_editable = states.contains(Atspi.StateType.EDITABLE)
    name = (node.get_name() or '')[:LONGEST_TEXT]
    text = '' if is_password else written(node)
    actions = deeds(node, states, role)
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


def written(node):
    text = node.get_text_iface()
    if not text:
        return ''
    return Atspi.Text.get_text(text, 0, min(Atspi.Text.get_character_count(text), LONGEST_TEXT)).replace('\ufffc', '')


def deeds(node, states, role):
    action = node.get_action_iface()
    made = ['click'] if action and action.get_n_actions() > 0 else []
    made += ['scroll'] if role == 'scroll' else []
    return made + (['type'] if states.contains(Atspi.StateType.EDITABLE) else [])


def windows():
    """Each with its path: the process that shows it, and its number."""
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        try:
            program = desktop.get_child_at_index(number)
            count = program.get_child_count() if program else 0
            shown = [(program.get_child_at_index(index), f'{program.get_process_id()}.{index}') for index in range(count)]
        except GLib.Error:
            continue  # It has gone.
        yield from (pair for pair in shown if pair[0])


def found_at(path):
    root, *way = path.split('/')
    node = next((window for window, name in windows() if name == root), None)
    for index in way:
        node = node and node.get_child_at_index(int(index))
    return node


def put(path, role, name, text):
    """Why it did not get the text; nothing where it did."""
    node = found_at(path)
    states = node and node.get_state_set()
    element = told(node, states, path) if node and states.contains(Atspi.StateType.SHOWING) else None
    if not element or (element['role'], element['name']) != (role, name) or 'type' not in element['actions']:
        return 'it has gone or changed'
    if not Atspi.EditableText.set_text_contents(node.get_editable_text_iface(), text):
        return 'its program takes no text this way'
    if 'password' in element['states']:
        return ''
    held = node.get_text_iface()
    is_so = Atspi.Text.get_text(held, 0, Atspi.Text.get_character_count(held)) == text
    return '' if is_so else 'its program made something else of it'


request = sys.stdin.read()
if request:
    try:
        refusal = put(**json.loads(request))
    except GLib.Error as error:
        refusal = f'its program does not answer: {error.message}'
    sys.stdout.write(refusal)
else:
    for window, path in windows():
        visit(window, path)
    json.dump(found, sys.stdout)
