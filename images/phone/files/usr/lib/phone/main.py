"""The phone: a home screen and apps in one window that fills the display, and the commands of Android's shell."""
import gi

gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
gi.require_version('WebKit2', '4.1')

from gi.repository import Gtk  # noqa: E402

from apps import all_apps  # noqa: E402
from commands import run  # noqa: E402
from fingers import Fingers  # noqa: E402
from server import serve  # noqa: E402
from shell import Phone  # noqa: E402

phone = Phone(all_apps(), Fingers())
serve('/tmp/.phone', lambda argv, answer: run(phone, argv, answer))
phone.show()
Gtk.main()
