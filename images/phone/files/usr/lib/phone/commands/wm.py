"""wm size | density"""
from gi.repository import Gdk


def run(phone, arguments, answer):
    screen = Gdk.Screen.get_default()
    if arguments == ['size']:
        answer(f'Physical size: {screen.get_width()}x{screen.get_height()}\n')
    elif arguments == ['density']:
        answer('Physical density: 320\n')
    else:
        answer(err='Error: this simulator knows wm size and wm density only\n', code=255)
