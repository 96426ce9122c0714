"""Small requests of one user, served one after another by the process that has become this user. It never becomes another
one, and ends with its connection."""
import json
import os

from accounts import Account
from contents import open_regular, write_all
from entries import entry
from files import discard, failure

LINE_LIMIT = 1 << 16


def serve(connection, request, send):
    name = request.get('user', 'user')
    account, arriving = vars(Account(name)), connection.makefile('rb')
    while line := arriving.readline(LINE_LIMIT):
        serve_one(connection, arriving, json.loads(line), send, lambda: vars(Account(name)) == account)


def serve_one(connection, arriving, asked, send, is_same_user):
    """What it reads and sends is in memory no longer than the request."""
    content = arriving.read(asked['size'])
    if len(content) < asked['size']:
        return
    try:
        if not is_same_user():
            raise OSError(None, 'the user has changed')
        answer, found = WORK[asked['op']](asked, content)
    except Exception as error:
        send(failure(error))
    else:
        send({'ok': True, **answer})
        connection.sendall(found)


def create(asked, content):
    """Writes a new file as a program would."""
    path = asked['path']
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOCTTY, 0o666)
    try:
        write_all(fd, memoryview(content))
        found = os.fstat(fd)
    except BaseException:
        os.unlink(path)
        raise
    finally:
        os.close(fd)
    return {'info': entry(found, os.path.basename(path), path)}, b''


def read(asked, content):
    """Reads a file that is not larger than the limit, and only describes a larger one."""
    path, limit = asked['path'], asked['limit']
    fd, found = open_regular(path)
    info = entry(found, os.path.basename(os.path.abspath(path)), path)
    try:
        if found.st_size > limit:
            return {'info': info}, b''
        # A file that was cut off meanwhile is as long as it is now.
        held = os.pread(fd, found.st_size, 0)
    finally:
        os.close(fd)
    return {'info': {**info, 'size': len(held)}, 'length': len(held)}, held


def remove(asked, content):
    """Removes something as a program would."""
    try:
        discard(asked['path'])
    except FileNotFoundError:
        pass
    return {}, b''


WORK = {'create': create, 'read': read, 'remove': remove}
