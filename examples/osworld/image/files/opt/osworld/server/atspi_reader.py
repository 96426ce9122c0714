"""Prints the tree of all windows as XML, or the text of the terminal in use. Elements are named by their role; states,
attributes, places, values and actions are attributes in the namespaces that readers of such trees expect."""
import sys
from xml.etree import ElementTree

import gi

gi.require_version('Atspi', '2.0')
from gi.repository import Atspi, GLib  # noqa: E402

from atspi_table import shown_cells  # noqa: E402
from xml_text import xml_name, xml_text  # noqa: E402

BASE = 'https://accessibility.ubuntu.example.org/ns/'
NAMESPACES = {
    'st': f'{BASE}state',
    'attr': f'{BASE}attributes',
    'cp': f'{BASE}component',
    'doc': f'{BASE}document',
    'docattr': f'{BASE}document/attributes',
    'txt': f'{BASE}text',
    'val': f'{BASE}value',
    'act': f'{BASE}action',
}
MAX_DEPTH = 50
MAX_CHILDREN = 1024
MAX_NODES = 20_000
#: A program that does not answer is left out after this long.
CALL_MS, START_MS = 2000, 5000


def tagged(prefix, name):
    return f'{{{NAMESPACES[prefix]}}}{xml_name(name)}'


class Tree:
    def __init__(self):
        self._left = MAX_NODES

    def of(self, node, depth=0):
        """The element of a node with everything below it, or None if its program has gone or does not answer."""
        try:
            self._left -= 1
            element = element_of(node)
            if depth < MAX_DEPTH:
                for child in children_of(node):
                    below = self.of(child, depth + 1) if self._left > 0 else None
                    if below is not None:
                        element.append(below)
            return element
        except GLib.Error:
            return None


def children_of(node):
    # A spreadsheet has billions of cells, of which only those on the screen are of interest.
    if node.get_role() == Atspi.Role.TABLE and node.get_child_count() > MAX_CHILDREN:
        yield from shown_cells(node)
        return
    for index in range(min(node.get_child_count(), MAX_CHILDREN)):
        child = node.get_child_at_index(index)
        if child is not None:
            yield child


def element_of(node):
    states = node.get_state_set()
    element = ElementTree.Element(xml_name(node.get_role_name() or 'unknown'), {'name': xml_text(node.get_name())})
    for state in states.get_states():
        element.set(tagged('st', state.value_nick.replace('-', '_')), 'true')
    for name, value in (node.get_attributes() or {}).items():
        element.set(tagged('attr', name), xml_text(value))
    interfaces = set(node.get_interfaces())
    if 'Component' in interfaces and states.contains(Atspi.StateType.SHOWING) and states.contains(Atspi.StateType.VISIBLE):
        place = node.get_extents(Atspi.CoordType.SCREEN)
        element.set(tagged('cp', 'screencoord'), str((place.x, place.y)))
        element.set(tagged('cp', 'size'), str((place.width, place.height)))
    if 'Text' in interfaces:
        element.text = text_of(node) or None
    for interface in ('Image', 'Selection'):
        if interface in interfaces:
            element.set(interface.lower(), 'true')
    if 'Value' in interfaces:
        for name, get in VALUES.items():
            element.set(tagged('val', name), str(get(node)))
    if 'Action' in interfaces:
        for index in range(node.get_n_actions()):
            name = node.get_action_name(index)
            element.set(tagged('act', f'{name}_desc'), xml_text(node.get_action_description(index)))
            element.set(tagged('act', f'{name}_kb'), xml_text(node.get_key_binding(index)))
    return element


VALUES = {
    'value': Atspi.Accessible.get_current_value,
    'min': Atspi.Accessible.get_minimum_value,
    'max': Atspi.Accessible.get_maximum_value,
    'step': Atspi.Accessible.get_minimum_increment,
}


def text_of(node):
    """The text, without the characters that stand for pictures and other things inside it."""
    text = Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node))
    return xml_text(text.replace('\ufffc', '').replace('\ufffd', ''))


def applications():
    desktop = Atspi.get_desktop(0)
    return [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]


def tree():
    for prefix, uri in NAMESPACES.items():
        ElementTree.register_namespace(prefix, uri)
    root, reader = ElementTree.Element('desktop-frame'), Tree()
    for application in applications():
        element = None if application is None else reader.of(application, 1)
        if element is not None:
            root.append(element)
    return ElementTree.tostring(root, encoding='unicode')


def terminal():
    """The text of the terminal that has the keyboard, in the window that is active."""
    for application in applications():
        try:
            for window in children_of(application):
                if window.get_state_set().contains(Atspi.StateType.ACTIVE):
                    found = focused_terminal(window)
                    if found is not None:
                        return text_of(found).rstrip()
        except (GLib.Error, AttributeError):
            continue  # The program has gone or does not answer.
    return ''


def focused_terminal(node, depth=0):
    if node.get_role() == Atspi.Role.TERMINAL and node.get_state_set().contains(Atspi.StateType.FOCUSED):
        return node
    if depth < MAX_DEPTH:
        for child in children_of(node):
            found = focused_terminal(child, depth + 1)
            if found is not None:
                return found
    return None


if __name__ == '__main__':
    Atspi.set_timeout(CALL_MS, START_MS)
    sys.stdout.buffer.write({'tree': tree, 'terminal': terminal}[sys.argv[1]]().encode(errors='replace'))
