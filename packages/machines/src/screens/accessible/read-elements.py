"""Prints what the programs of a desktop tell of what they show (AT-SPI), as one JSON list. Says on stderr why it cannot."""
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


def visit(node, depth):
    if len(found) >= MOST or depth > DEEPEST:
        return
    try:
        states = node.get_state_set()
        if depth > 0 and not states.contains(Atspi.StateType.SHOWING):
            return
        element = told(node, states, depth)
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
            visit(child, depth + 1)


def told(node, states, depth):
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
        'depth': depth,
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


desktop = Atspi.get_desktop(0)
for number in range(desktop.get_child_count()):
    program = desktop.get_child_at_index(number)
    for index in range(program.get_child_count() if program else 0):
        window = program.get_child_at_index(index)
        if window:
            visit(window, 0)
json.dump(found, sys.stdout)
