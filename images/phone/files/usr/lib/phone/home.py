"""The home screen: pages of apps that a swipe turns, and a few that are always at hand."""
from gi.repository import Gtk

from widgets import button, column, label, row

DOCK = 3
PAGE = 4
COLUMNS = 4
TURN_AFTER_PX = 60


class Home(Gtk.EventBox):
    """An event box, because a gesture sees only what happens in a window of its own."""

    def __init__(self, apps, start):
        super().__init__(name='home')
        self._pages = Gtk.Stack(transition_type=Gtk.StackTransitionType.SLIDE_LEFT_RIGHT, transition_duration=150)
        self._time, self._day = label('', 'home-time'), label('', 'home-day')
        for line in (self._time, self._day):
            line.set_xalign(0.5)
        rest = apps[DOCK:]
        self._count = -(-len(rest) // PAGE)
        self._dots = label('', 'dots')
        self._dots.set_xalign(0.5)
        for number in range(self._count):
            grid = Gtk.Grid(column_homogeneous=True, row_spacing=40, name='grid', valign=Gtk.Align.START)
            for index, app in enumerate(rest[number * PAGE:(number + 1) * PAGE]):
                grid.attach(tile(app, start), index % COLUMNS, index // COLUMNS, 1, 1)
            for index in range(COLUMNS):
                grid.attach(Gtk.Box(), index, 99, 1, 1)
            self._pages.add_named(grid, str(number))
        dock = row(*(tile(app, start) for app in apps[:DOCK]), name='dock', spacing=0)
        dock.set_homogeneous(True)
        layout = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        layout.pack_start(self._time, False, False, 0)
        layout.pack_start(self._day, False, False, 0)
        layout.pack_start(self._pages, True, True, 0)
        layout.pack_start(self._dots, False, False, 0)
        layout.pack_start(dock, False, False, 0)
        self.add(layout)
        self._page = 0
        self._turn(0)
        self._drag = Gtk.GestureDrag.new(self)
        self._drag.set_propagation_phase(Gtk.PropagationPhase.CAPTURE)
        self._drag.connect('drag-update', self._dragged)

    def tell(self, time, day):
        self._time.set_text(time)
        self._day.set_text(day)

    def first_page(self):
        self._turn(-self._page)

    def _dragged(self, gesture, dx, dy):
        if abs(dx) < TURN_AFTER_PX or abs(dx) < abs(dy):
            return
        if gesture.set_state(Gtk.EventSequenceState.CLAIMED):
            self._turn(-1 if dx > 0 else 1)
            gesture.reset()

    def _turn(self, by):
        self._page = min(max(self._page + by, 0), self._count - 1)
        child = self._pages.get_child_by_name(str(self._page))
        child.show_all()
        self._pages.set_visible_child(child)
        self._dots.set_text(' '.join('●' if page == self._page else '○' for page in range(self._count)))


def tile(app, start):
    face = button(icon=app.icon, on_click=lambda: start(app.package), description=app.label, name=app.package.split('.')[-1])
    face.get_style_context().add_class('icon')
    face.set_halign(Gtk.Align.CENTER)
    name = label(app.label, 'app-name')
    name.set_xalign(0.5)
    below = Gtk.EventBox(visible_window=False)
    below.add(name)
    below.connect('button-release-event', lambda *_: start(app.package))
    return column(face, below, spacing=8)
