"""Contacts: a list, a page for each, and a form for another."""
from apps.app import App
from store import load, save
from widgets import add_row, bar, button, column, entry, label, row, rows, scrolled

PEOPLE = [
    ('Ada Lovelace', '+1 555 0100'), ('Alan Turing', '+1 555 0101'), ('Annie Easley', '+1 555 0102'),
    ('Barbara Liskov', '+1 555 0103'), ('Claude Shannon', '+1 555 0104'), ('Donald Knuth', '+1 555 0105'),
    ('Edsger Dijkstra', '+1 555 0106'), ('Frances Allen', '+1 555 0107'), ('Grace Hopper', '+1 555 0108'),
    ('Hedy Lamarr', '+1 555 0109'), ('Jean Sammet', '+1 555 0110'), ('John Backus', '+1 555 0111'),
    ('Katherine Johnson', '+1 555 0112'), ('Ken Thompson', '+1 555 0113'), ('Margaret Hamilton', '+1 555 0114'),
    ('Radia Perlman', '+1 555 0115'), ('Shafi Goldwasser', '+1 555 0116'), ('Tony Hoare', '+1 555 0117'),
]


class Contacts(App):
    package, label, icon = 'com.sandglass.contacts', 'Contacts', 'avatar-default-symbolic'

    def first(self):
        self._people = load(self.package, 'people.json', [list(person) for person in PEOPLE])
        self._list = rows()
        new = button(icon='contact-new-symbolic', on_click=self._form, description='New contact', name='new')
        new.get_style_context().add_class('main')
        page = column(bar('Contacts', new))
        page.pack_start(scrolled(self._list), True, True, 0)
        self.returned()
        return page

    def returned(self):
        for child in self._list.get_children():
            self._list.remove(child)
        for person in sorted(self._people):
            avatar = label(person[0][0].upper(), 'avatar')
            avatar.set_xalign(0.5)
            line = row(avatar, column(label(person[0]), label(person[1], 'faint')), spacing=24)
            line.on_tap = lambda person=person: self._show(person)
            add_row(self._list, line)
        self._list.show_all()

    def _show(self, person):
        def remove():
            self._people.remove(person)
            save(self.package, 'people.json', self._people)
            self.back()

        delete = button(icon='user-trash-symbolic', on_click=remove, description='Delete')
        self.open(column(bar(person[0], delete, back=self.phone.back), rows(column(label(person[1]), label('Mobile', 'faint')))))

    def _form(self):
        name, number = entry('Name', 'contact-name'), entry('Phone', 'contact-phone')

        def keep():
            if name.get_text():
                self._people.append([name.get_text(), number.get_text()])
                save(self.package, 'people.json', self._people)
                self.back()

        done = button('Save', on_click=keep, name='save')
        done.get_style_context().add_class('main')
        name.connect('activate', lambda _: number.grab_focus())
        number.connect('activate', lambda _: keep())
        self.open(column(bar('New contact', done, back=self.phone.back), column(name, number, name='form', spacing=24)))
        name.grab_focus()
