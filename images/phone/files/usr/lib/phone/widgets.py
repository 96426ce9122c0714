"""What apps are made of: large enough for a finger, and scrolled by one."""
from gi.repository import Gtk, Pango

SCROLL_AFTER_PX = 16


def label(text, name=None, wrap=False):
    made = Gtk.Label(label=text, xalign=0)
    made.set_line_wrap(wrap)
    made.set_ellipsize(Pango.EllipsizeMode.NONE if wrap else Pango.EllipsizeMode.END)
    if name:
        made.set_name(name)
    return made


def button(text=None, icon=None, on_click=None, description=None, name=None):
    """`description` is what uiautomator tells of a button without words."""
    made = Gtk.Button(label=text) if text else Gtk.Button()
    if icon:
        made.add(Gtk.Image.new_from_icon_name(icon, Gtk.IconSize.DND))
    made.set_can_focus(False)
    if name:
        made.set_name(name)
    if description:
        made.get_accessible().set_name(description)
    if on_click:
        made.connect('clicked', lambda _: on_click())
    return made


def row(*widgets, name=None, spacing=16):
    """In a line; None is the space that is left."""
    made = Gtk.Box(spacing=spacing)
    if name:
        made.set_name(name)
    for widget in widgets:
        if widget is None:
            made.pack_start(Gtk.Box(), True, True, 0)
        else:
            made.pack_start(widget, isinstance(widget, Gtk.Entry), True, 0)
    return made


def column(*widgets, name=None, spacing=0):
    made = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=spacing)
    if name:
        made.set_name(name)
    for widget in widgets:
        made.pack_start(widget, False, False, 0)
    return made


def bar(title, *actions, back=None):
    """The bar on top of an app."""
    parts = [button(icon='go-previous-symbolic', on_click=back, description='Navigate up')] if back else []
    return row(*parts, label(title, 'title'), None, *actions, name='bar')


def entry(hint, name, text=''):
    made = Gtk.Entry(placeholder_text=hint, text=text)
    made.set_name(name)
    return made


def rows(*widgets):
    """A list whose rows can be tapped, where they have an `on_tap`."""
    made = Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE)
    for widget in widgets:
        add_row(made, widget)
    made.connect('row-activated', lambda _, tapped: getattr(tapped.get_child(), 'on_tap', lambda: None)())
    return made


def add_row(list_box, widget):
    holder = Gtk.ListBoxRow(can_focus=False)
    holder.add(widget)
    list_box.add(holder)


def scrolled(widget):
    """A finger that moves on it scrolls, and what is below the finger is not tapped."""
    made = Gtk.ScrolledWindow(hscrollbar_policy=Gtk.PolicyType.NEVER)
    made.set_overlay_scrolling(True)
    made.add(widget)
    drag = Gtk.GestureDrag.new(made)
    drag.set_propagation_phase(Gtk.PropagationPhase.CAPTURE)
    state = {}

    def begin(gesture, x, y):
        state['from'] = made.get_vadjustment().get_value()
        state['is_scrolling'] = False

    def update(gesture, dx, dy):
        if not state['is_scrolling']:
            if abs(dy) < SCROLL_AFTER_PX:
                return
            state['is_scrolling'] = True
            gesture.set_state(Gtk.EventSequenceState.CLAIMED)
        made.get_vadjustment().set_value(state['from'] - dy)

    drag.connect('drag-begin', begin)
    drag.connect('drag-update', update)
    made.drag = drag
    return made
