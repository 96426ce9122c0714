"""The pictures in /sdcard/Pictures, such as screenshots."""
import os

from gi.repository import GdkPixbuf, GLib, Gtk

from apps.app import App
from widgets import add_row, bar, column, label, rows, scrolled

FOLDER = '/sdcard/Pictures'
MOST = 50


class Gallery(App):
    package, label, icon = 'com.sandglass.gallery', 'Gallery', 'image-x-generic-symbolic'

    def first(self):
        found = rows()
        names = sorted(os.listdir(FOLDER))[:MOST] if os.path.isdir(FOLDER) else []
        for name in names:
            try:
                picture = GdkPixbuf.Pixbuf.new_from_file_at_size(os.path.join(FOLDER, name), 640, 400)
            except GLib.Error:
                continue  # Not a picture.
            add_row(found, column(Gtk.Image.new_from_pixbuf(picture), label(name, 'faint'), spacing=8))
        if not found.get_children():
            add_row(found, label(f'No pictures in {FOLDER}.', 'faint'))
        page = column(bar('Gallery'))
        page.pack_start(scrolled(found), True, True, 0)
        return page
