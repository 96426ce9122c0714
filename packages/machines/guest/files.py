"""File work, one forked child for each request: it acts as the user who asked, so the kernel judges every path."""
import errno
import json
import os
import stat
import struct

from accounts import Account

CODES = {
    errno.ENOENT: 'NOT_FOUND', errno.ENOTDIR: 'NOT_FOUND', errno.EACCES: 'DENIED', errno.EPERM: 'DENIED',
    errno.EROFS: 'DENIED', errno.EINVAL: 'INVALID', errno.ENAMETOOLONG: 'INVALID', errno.ELOOP: 'INVALID',
    errno.ENOEXEC: 'INVALID', errno.E2BIG: 'INVALID',
}


def failure(error):
    """What the service is told about an exception."""
    if isinstance(error, OSError):
        name = f': {error.filename}' if isinstance(error.filename, str) else ''
        return {'error': CODES.get(error.errno, 'STATE'), 'message': f'{error.strerror or error}{name}'}
    if isinstance(error, KeyError):
        return {'error': 'NOT_FOUND', 'message': f'there is no {error}'}
    return {'error': 'INVALID', 'message': str(error)}


def serve(connection, request):
    """Runs in the child, on a blocking connection, and ends with it."""
    def send(message):
        connection.sendall(json.dumps(message).encode() + b'\n')

    try:
        Account(request.get('user', 'user')).become()
        send(WORK[request['op']](connection, request, send) or {'ok': True})
    except BaseException as error:
        try:
            send(failure(error))
            # Closing with unread bytes would lose the answer on its way.
            while connection.recv(1 << 20):
                pass
        except OSError:
            pass


def info(path, name):
    found = os.lstat(path)
    kind = ('directory' if stat.S_ISDIR(found.st_mode) else 'file' if stat.S_ISREG(found.st_mode)
            else 'symlink' if stat.S_ISLNK(found.st_mode) else 'other')
    answer = dict(name=name, kind=kind, size=found.st_size, mode=stat.S_IMODE(found.st_mode),
                  user=found.st_uid, group=found.st_gid, modifiedMs=found.st_mtime_ns // 1_000_000)
    if kind == 'symlink':
        answer['target'] = os.readlink(path)
    return answer


def read(connection, request, send):
    # Without O_NONBLOCK, opening a FIFO would wait for a writer.
    fd = os.open(request['path'], os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EISDIR, 'not a regular file', request['path'])
    offset = request.get('offset', 0)
    left = max(0, min(found.st_size - offset, request.get('length', found.st_size)))
    send({'ok': True, 'size': found.st_size, 'length': left})
    while left:
        sent = os.sendfile(connection.fileno(), fd, offset, min(left, 1 << 20))
        if not sent:
            break
        offset, left = offset + sent, left - sent
    os._exit(0)


def receive(connection, size):
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        count = connection.recv_into(view[got:])
        if not count:
            raise ConnectionError('the sender went away')
        got += count
    return data


def write(connection, request, send):
    path = os.path.realpath(request['path'])
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    mode = request.get('mode')
    if os.path.isdir(path):
        raise OSError(errno.EISDIR, 'is a directory', path)
    if mode is None:
        mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0o644
    part = os.path.join(folder, f'.{name[:200]}.{os.urandom(6).hex()}.part')
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        send({'ok': True})
        # Each chunk is led by its length; only a length of zero says that the file is whole.
        while size := struct.unpack('>I', receive(connection, 4))[0]:
            view = memoryview(receive(connection, min(size, 1 << 26)))
            while view:
                view = view[os.write(fd, view):]
        os.fchmod(fd, mode & 0o7777)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def stat_one(connection, request, send):
    return {'ok': True, 'info': info(request['path'], os.path.basename(os.path.abspath(request['path'])))}


def list_folder(connection, request, send):
    found = []
    for name in sorted(os.listdir(request['path'])):
        try:
            found.append(info(os.path.join(request['path'], name), os.fsencode(name).decode('utf8', 'replace')))
        except FileNotFoundError:
            pass
    return {'ok': True, 'list': found}


def make_directory(connection, request, send):
    os.makedirs(request['path'], exist_ok=True)


def move(connection, request, send):
    os.rename(request['path'], request['to'])


def remove(connection, request, send):
    try:
        if stat.S_ISDIR(os.lstat(request['path']).st_mode):
            import shutil  # slow to load, and only a child that needs it pays

            shutil.rmtree(request['path'])
        else:
            os.unlink(request['path'])
    except FileNotFoundError:
        pass


WORK = {'read': read, 'write': write, 'stat': stat_one, 'list': list_folder, 'mkdir': make_directory,
        'move': move, 'remove': remove}
