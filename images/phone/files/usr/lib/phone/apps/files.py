"""What is on /sdcard."""
import os

from apps.app import App
from widgets import add_row, bar, column, label, rows, scrolled

MOST = 500


class Files(App):
    package, label, icon = 'com.sandglass.files', 'Files', 'folder-symbolic'

    def first(self):
        return self._folder('/sdcard', 'Files')

    def _folder(self, path, title):
        found = rows()
        for name in sorted(os.listdir(path))[:MOST]:
            whole = os.path.join(path, name)
            is_folder = os.path.isdir(whole)
            size = 'Folder' if is_folder else f'{os.stat(whole, follow_symlinks=False).st_size} bytes'
            line = column(label(name), label(size, 'faint'))
            if is_folder:
                line.on_tap = lambda whole=whole, name=name: self.open(self._folder(whole, name))
            add_row(found, line)
        page = column(bar(title, back=self.phone.back if path != '/sdcard' else None))
        page.pack_start(scrolled(found), True, True, 0)
        return page
