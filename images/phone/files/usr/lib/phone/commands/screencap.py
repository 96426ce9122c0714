"""screencap [-p] [FILE]: raw is the width, the height, the format (5, BGRA) and the colour space (1, sRGB), then the pixels"""
import ctypes
import struct

from gi.repository import Gdk

BGRA = 5


def run(phone, arguments, answer):
    names = [word for word in arguments if not word.startswith('-')]
    is_png = '-p' in arguments or any(name.endswith('.png') for name in names)
    root = Gdk.get_default_root_window()
    width, height = root.get_width(), root.get_height()
    if is_png:
        pixels = Gdk.pixbuf_get_from_window(root, 0, 0, width, height)
        data = pixels.save_to_bufferv('png', ['compression'], ['1'])[1]
    else:
        data = struct.pack('<4I', width, height, BGRA, 1) + as_x_has_them(phone, width, height)
    if not names:
        answer(data)
        return
    try:
        with open(names[0], 'wb') as file:
            file.write(data)
        answer()
    except OSError as error:
        answer(err=f'Error opening file: {names[0]} ({error.strerror})\n', code=1)


class Image(ctypes.Structure):
    """The head of Xlib's XImage, as far as the pixels."""
    _fields_ = [('width', ctypes.c_int), ('height', ctypes.c_int), ('offset', ctypes.c_int), ('format', ctypes.c_int), ('data', ctypes.c_void_p)]


def as_x_has_them(phone, width, height):
    """Four bytes a pixel of a display that is 24 deep; turning them around here would take longer than all the rest."""
    x, display = phone.fingers.display
    x.XGetImage.restype = ctypes.POINTER(Image)
    x.XGetImage.argtypes = [ctypes.c_void_p, ctypes.c_ulong] + [ctypes.c_int] * 2 + [ctypes.c_uint] * 2 + [ctypes.c_ulong, ctypes.c_int]
    image = x.XGetImage(display, x.XDefaultRootWindow(display), 0, 0, width, height, 0xffffffff, 2)
    try:
        return ctypes.string_at(image.contents.data, 4 * width * height)
    finally:
        x.XDestroyImage(image)
