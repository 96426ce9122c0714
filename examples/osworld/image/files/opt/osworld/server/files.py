"""Files and folders of the machine."""
import http.client
import os
import re
import shutil
import stat
import tempfile
import urllib.error
import urllib.request
from contextlib import contextmanager

from flask import Blueprint, jsonify, request, send_file

from asked import Refused, body, form, path_of, text

routes = Blueprint('files', __name__)

MAX_ENTRIES = 100_000
FETCH_SECONDS = 300
ATTEMPTS = 3


@routes.post('/file')
def read():
    path = path_of(form('file_path'))
    with _reported():
        if not os.path.exists(path):
            raise Refused(f'There is no file {path}.', 404)
        # A device or a pipe might never end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Refused(f'{path} is not a file.')
        return send_file(path, as_attachment=True)


@routes.post('/setup/upload')
def upload():
    path, data = path_of(form('file_path')), request.files.get('file_data')
    if data is None:
        raise Refused('file_data is required, as a file of a form.')
    with _reported(), _written(path) as file:
        shutil.copyfileobj(data.stream, file, 1 << 20)
    return jsonify(status='success', message=f'Wrote {os.path.getsize(path)} bytes.')


@routes.post('/setup/download_file')
def download():
    asked = body()
    url, path = text(asked, 'url'), path_of(text(asked, 'path'))
    if not re.match(r'https?://[^/?#]', url, re.I):
        raise Refused('url must begin with http:// or https://, and name a host.')
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with _reported(), _fetched(url) as response, _written(path) as file:
                shutil.copyfileobj(response, file, 1 << 20)
            return jsonify(status='success', message=f'Fetched {os.path.getsize(path)} bytes.')
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
            if attempt == ATTEMPTS:
                raise Refused(f'{url} cannot be fetched: {error}', 502) from None


@routes.post('/list_directory')
def list_directory():
    path = path_of(text(body(), 'path'))
    if not os.path.isdir(path):
        raise Refused(f'{path} is not a folder.')
    left = [MAX_ENTRIES]
    return jsonify(directory_tree=_tree(path, left))


@routes.post('/desktop_path')
def desktop_path():
    path = path_of('Desktop')
    if not os.path.isdir(path):
        raise Refused('There is no desktop folder.', 404)
    return jsonify(desktop_path=path)


def _tree(path, left):
    """A folder with what is below it. Links are not followed, because they can lead in circles."""
    children = []
    try:
        with os.scandir(path) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                left[0] -= 1
                if left[0] < 0:
                    raise Refused(f'There are more than {MAX_ENTRIES} entries.', 413)
                is_folder = entry.is_dir(follow_symlinks=False)
                children.append(_tree(entry.path, left) if is_folder else {'type': 'file', 'name': entry.name})
    except OSError as error:
        return {'error': str(error)}
    return {'type': 'directory', 'name': os.path.basename(path), 'children': children}


def _fetched(url):
    try:
        return urllib.request.urlopen(url, timeout=FETCH_SECONDS)
    except (ValueError, http.client.InvalidURL) as error:
        raise Refused(f'url is not valid: {error}') from None


@contextmanager
def _written(path):
    """A new file, which appears under its name once it is complete."""
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    if os.path.isdir(path):
        raise Refused(f'{path} is a folder.')
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        try:
            yield file
            file.flush()
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


@contextmanager
def _reported():
    """Reports what the user of the desktop may not do with a file as the fault of the request."""
    try:
        yield
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        raise
    except PermissionError as error:
        raise Refused(str(error), 403) from None
    except OSError as error:
        raise Refused(str(error)) from None
