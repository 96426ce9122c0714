"""Notes, each a file as soon as a letter of it is typed."""
import os
import time

from gi.repository import Gtk

from apps.app import App
from store import folder, load, save
from widgets import add_row, bar, button, column, entry, label, rows, scrolled


class Notes(App):
    package, label, icon = 'com.sandglass.notes', 'Notes', 'document-edit-symbolic'

    def first(self):
        self._list = rows()
        new = button(icon='list-add-symbolic', on_click=lambda: self._edit(str(time.time_ns())), description='New note', name='new')
        new.get_style_context().add_class('main')
        page = column(bar('Notes', new))
        page.pack_start(scrolled(self._list), True, True, 0)
        self.returned()
        return page

    def returned(self):
        for child in self._list.get_children():
            self._list.remove(child)
        names = sorted((name for name in os.listdir(folder(self.package)) if name.endswith('.json')), reverse=True)
        for name in names:
            note = load(self.package, name, {})
            text = column(label(note.get('title') or 'Untitled'), label(note.get('text', '').split('\n')[0], 'faint'))
            text.on_tap = lambda name=name: self._edit(name[:-5])
            add_row(self._list, text)
        if not names:
            add_row(self._list, label('No notes yet. Tap + to write one.', 'faint'))
        self._list.show_all()

    def _edit(self, number):
        note = load(self.package, f'{number}.json', {'title': '', 'text': ''})
        title = entry('Title', 'note-title', note['title'])
        text = Gtk.TextView(wrap_mode=Gtk.WrapMode.WORD_CHAR, name='note-text')
        text.get_buffer().set_text(note['text'])

        def keep(*_):
            buffer = text.get_buffer()
            words = buffer.get_text(*buffer.get_bounds(), False)
            save(self.package, f'{number}.json', {'title': title.get_text(), 'text': words})

        def remove():
            path = os.path.join(folder(self.package), f'{number}.json')
            if os.path.exists(path):
                os.unlink(path)
            self.back()

        title.connect('changed', keep)
        title.connect('activate', lambda _: text.grab_focus())
        text.get_buffer().connect('changed', keep)
        page = column(bar('Note', button(icon='user-trash-symbolic', on_click=remove, description='Delete'), back=self.phone.back), column(title, name='form'))
        page.pack_start(scrolled(text), True, True, 0)
        self.open(page)
        (text if note['title'] else title).grab_focus()
