"""The picture behind the windows."""
import os
import subprocess

from flask import Blueprint, jsonify, send_file
from PIL import Image, UnidentifiedImageError

from asked import Refused, body, path_of, text

routes = Blueprint('wallpaper', __name__)

ORIGINAL = '/usr/share/sandglass/wallpaper.png'
CHOSEN = os.path.expanduser('~/.config/osworld/wallpaper')


@routes.post('/wallpaper')
def get_wallpaper():
    path = _current()
    if not os.path.isfile(path):
        raise Refused('The file of the wallpaper does not exist any more.', 404)
    return send_file(path, mimetype='image/png')


@routes.post('/setup/change_wallpaper')
def change_wallpaper():
    path = path_of(text(body(), 'path'))
    if not os.path.exists(path):
        raise Refused(f'There is no file {path}.', 404)
    try:
        with Image.open(path) as picture:
            picture.verify()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        raise Refused(f'{path} is not a picture.') from None
    _show(path)
    os.makedirs(os.path.dirname(CHOSEN), exist_ok=True)
    with open(CHOSEN, 'w') as file:
        file.write(path)
    return jsonify(status='success', message='The wallpaper was changed.')


def _current():
    try:
        with open(CHOSEN) as file:
            return file.read()
    except FileNotFoundError:
        return ORIGINAL


def _show(path):
    if subprocess.run(['hsetroot', '-cover', path], capture_output=True, check=False).returncode != 0:
        raise Refused(f'{path} cannot be shown.')
