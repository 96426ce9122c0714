"""screencap [-p] [FILE]: raw is the width, the height, the format (1, RGBA) and the colour space (1, sRGB), then the pixels"""
import struct

from gi.repository import Gdk


def run(phone, arguments, answer):
    names = [word for word in arguments if not word.startswith('-')]
    is_png = '-p' in arguments or any(name.endswith('.png') for name in names)
    root = Gdk.get_default_root_window()
    width, height = root.get_width(), root.get_height()
    pixels = Gdk.pixbuf_get_from_window(root, 0, 0, width, height)
    if is_png:
        data = pixels.save_to_bufferv('png', ['compression'], ['1'])[1]
    else:
        data = struct.pack('<4I', width, height, 1, 1) + pixels.add_alpha(False, 0, 0, 0).get_pixels()
    if not names:
        answer(data)
        return
    try:
        with open(names[0], 'wb') as file:
            file.write(data)
        answer()
    except OSError as error:
        answer(err=f'Error opening file: {names[0]} ({error.strerror})\n', code=1)
