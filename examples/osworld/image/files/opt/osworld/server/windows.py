"""Windows: opening files until their window is there, and what wmctrl does with windows."""
import os
import shutil
import subprocess
import time

from flask import Blueprint, jsonify

from asked import Refused, body, flag, path_of, text
from programs import start

routes = Blueprint('windows', __name__)

OPEN_SECONDS = 1800
CHECK_SECONDS = 0.2


def listed():
    """The windows, each with its id and title."""
    done = subprocess.run(['wmctrl', '-l'], capture_output=True, encoding='utf-8', errors='replace', check=False)
    columns = (line.split(None, 3) for line in done.stdout.splitlines())
    return [(column[0], column[3] if len(column) > 3 else '') for column in columns if column]


def titles():
    return [title for _, title in listed()]


@routes.post('/setup/open_file')
def open_file():
    asked = text(body(), 'path')
    path = path_of(asked)
    if os.path.exists(path):
        # xdg-open does not know this desktop, and would open a text in a terminal.
        start(['gio', 'open', path])
        name = os.path.basename(path.rstrip('/'))
        wanted = {name, os.path.splitext(name)[0]}
    elif shutil.which(asked):
        start([asked])
        wanted = {os.path.basename(asked)}
    else:
        raise Refused(f'There is no file and no program {asked}.', 404)
    wanted = {name.lower() for name in wanted if name}
    end = time.monotonic() + OPEN_SECONDS
    while time.monotonic() < end:
        for id, title in listed():
            if any(name in title.lower() for name in wanted):
                subprocess.run(['wmctrl', '-i', '-a', id], check=False)
                return jsonify(status='success', message=f'The window {title!r} is open and active.')
        time.sleep(CHECK_SECONDS)
    raise Refused(f'No window for {asked} appeared within {OPEN_SECONDS} seconds.', 504)


@routes.post('/setup/activate_window')
def activate_window():
    return _with_window('-a', 'activated')


@routes.post('/setup/close_window')
def close_window():
    return _with_window('-c', 'closed')


def _with_window(option, done):
    asked = body()
    name, strict, by_class = text(asked, 'window_name'), flag(asked, 'strict'), flag(asked, 'by_class')
    command = ['wmctrl', *(['-x'] if by_class else []), *(['-F'] if strict else []), option, name]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        raise Refused(f'No window is called {name}.', 404)
    return jsonify(status='success', message=f'The window was {done}.')
