"""The screen, the pointer, and the sizes of windows."""
import io
import platform
import threading
from contextlib import contextmanager

from flask import Blueprint, Response, jsonify
from PIL import Image, ImageGrab
from Xlib import X
from Xlib.display import Display
from Xlib.error import XError

from asked import Refused, form

routes = Blueprint('screen', __name__)

#: One capture at a time: each holds some 20 MB, and they would only make one another slower.
_capturing = threading.Lock()


@routes.get('/screenshot')
def screenshot():
    with _capturing, _display() as display:
        picture = ImageGrab.grab()
        _paste_pointer(picture, display)
        file = io.BytesIO()
        picture.save(file, 'PNG', compress_level=1)
    return Response(file.getvalue(), mimetype='image/png')


@routes.get('/cursor_position')
def cursor_position():
    with _display() as display:
        pointer = display.screen().root.query_pointer()
        return jsonify([pointer.root_x, pointer.root_y])


@routes.post('/screen_size')
def screen_size():
    with _display() as display:
        screen = display.screen()
        return jsonify(width=screen.width_in_pixels, height=screen.height_in_pixels)


@routes.post('/window_size')
def window_size():
    wanted = form('app_class_name').lower()
    with _display() as display:
        listed = display.screen().root.get_full_property(display.intern_atom('_NET_CLIENT_LIST'), X.AnyPropertyType)
        for id in listed.value if listed else []:
            try:
                window = display.create_resource_object('window', id)
                if wanted in [name.lower() for name in window.get_wm_class() or ()]:
                    size = window.get_geometry()
                    return jsonify(width=size.width, height=size.height)
            except XError:
                continue  # The window was closed meanwhile.
    raise Refused('No window has that class.', 404)


@routes.get('/platform')
def platform_name():
    return Response(platform.system(), mimetype='text/plain')


def _paste_pointer(picture, display):
    display.xfixes_query_version()
    pointer = display.xfixes_get_cursor_image(display.screen().root)
    size = (pointer.width, pointer.height)
    pixels = b''.join(pixel.to_bytes(4, 'little') for pixel in pointer.cursor_image)
    # X has the colours multiplied by the opacity, so the picture below is only to be darkened, and the pointer added.
    drawn = Image.frombuffer('RGBA', size, pixels, 'raw', 'BGRa', 0, 1)
    picture.paste(drawn, (pointer.x - pointer.xhot, pointer.y - pointer.yhot), drawn)


@contextmanager
def _display():
    """A connection of its own for each request, because requests come in several threads."""
    display = Display()
    try:
        yield display
    finally:
        display.close()
