"""File operations. Each request runs in a forked child as the requesting user, so that the kernel checks every
path."""
import base64
import errno
import heapq
import json
import os
import stat

import contents
from accounts import Account
from durable import HostFull, make_folders, parent, sync_folder
from entries import as_text, entry, wrong_kind

CODES = {
    errno.ENOENT: 'NOT_FOUND', errno.ENOTDIR: 'NOT_FOUND', errno.EACCES: 'DENIED', errno.EPERM: 'DENIED',
    errno.EROFS: 'DENIED', errno.EINVAL: 'INVALID', errno.ENAMETOOLONG: 'INVALID', errno.ELOOP: 'INVALID',
    errno.ENOEXEC: 'INVALID', errno.E2BIG: 'INVALID',
    errno.EISDIR: 'WRONG_KIND', errno.EEXIST: 'EXISTS', errno.ENOTEMPTY: 'EXISTS',
    errno.ENOSPC: 'NO_SPACE', errno.EDQUOT: 'NO_SPACE', errno.EFBIG: 'NO_SPACE',
}

MAX_MESSAGE = 4096
# The service reads pages of up to two megabytes. Each character of a name may be escaped with up to twelve, and an
# entry has about 160 characters besides names.
MAX_PAGE = 2 << 20


def failure(error):
    """Converts an exception into an answer for the service."""
    if isinstance(error, HostFull):
        return {'error': 'HOST_FULL', 'message': error.strerror}
    if isinstance(error, OSError):
        name = f': {error.filename}' if isinstance(error.filename, str) else ''
        return {'error': CODES.get(error.errno, 'STATE'), 'message': shortened(f'{error.strerror or error}{name}')}
    if isinstance(error, KeyError):
        return {'error': 'NOT_FOUND', 'message': shortened(f'there is no {error}')}
    return {'error': 'INVALID', 'message': shortened(str(error))}


def shortened(message):
    """The service does not read longer answers, and a request may contain a path of any length."""
    return message if len(message) <= MAX_MESSAGE else message[:MAX_MESSAGE] + '…'


def serve(connection, request):
    """Runs in the child on a blocking connection, and returns when the request is done."""
    def send(message):
        connection.sendall(json.dumps(message).encode() + b'\n')

    try:
        # Close the descriptors of other requests: a copy here would delay their end of file.
        os.closerange(3, connection.fileno())
        os.closerange(connection.fileno() + 1, 1 << 20)
        Account(request.get('user', 'user')).become()
        answer = WORK[request['op']](connection, request, send)
        if answer is not None:
            send({'ok': True, **answer})
    except BaseException as error:
        try:
            send(failure(error))
            # Closing a connection with unread bytes would discard the answer.
            while connection.recv(1 << 20):
                pass
        except OSError:
            pass


def stat_one(connection, request, send):
    path = request['path']
    return {'info': entry(os.lstat(path), os.path.basename(os.path.abspath(path)), path)}


def list_folder(connection, request, send):
    """Returns up to `limit` names after a given one, sorted by bytes. A folder with millions of entries needs
    little memory. The page is shorter if the names are very long."""
    folder, limit = os.fsencode(request['path']), request['limit']
    after = base64.b64decode(request.get('after', ''))
    try:
        with os.scandir(folder) as found:
            names = heapq.nsmallest(limit + 1, (each.name for each in found if each.name > after))
    except NotADirectoryError:
        raise wrong_kind('not a folder', request['path'])
    entries, size, done = [], 0, 0
    for name in names[:limit]:
        path = os.path.join(folder, name)
        try:
            one = entry(os.lstat(path), as_text(name), path)
            size += 160 + 6 * len(name) + 12 * len(one.get('target', ''))
            if size > MAX_PAGE:
                break
            entries.append(one)
        except FileNotFoundError:
            pass
        done += 1
    more = {'next': base64.b64encode(names[done - 1]).decode()} if len(names) > done else {}
    return {'list': entries, **more}


def make_folder(connection, request, send):
    make_folders(request['path'])
    return {}


def move(connection, request, send):
    source, target = request['path'], request['to'].rstrip('/') or '/'
    make_folders(parent(target))
    try:
        if request.get('overwrite', True):
            os.rename(source, target)
        else:
            rename_to_free(source, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, cause_of_failed_move(error.errno, source, target))
    for folder in {parent(source), parent(target)}:
        sync_folder(folder)
    return {}


def cause_of_failed_move(code, source, target):
    """Returns the path that a failed move is about, because the kernel does not say which of the two it is."""
    is_source = code == errno.EPERM or not os.path.lexists(source) or not os.access(parent(source), os.W_OK)
    return source if is_source and code not in (errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR) else target


def rename_to_free(source, target):
    """The kernel checks and renames in one step, so that a file which appears in the meantime is not
    overwritten."""
    import ctypes  # Slow to load, so it is imported only when needed.

    at_cwd, no_replace = -100, 1
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(at_cwd, os.fsencode(source), at_cwd, os.fsencode(target), no_replace):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def remove(connection, request, send):
    try:
        discard(request['path'])
        sync_folder(parent(request['path']))
    except FileNotFoundError:
        pass
    return {}


def discard(path):
    if stat.S_ISDIR(os.lstat(path).st_mode):
        import shutil

        shutil.rmtree(path)
    else:
        os.unlink(path)


def serve_several(connection, request, send):
    import several

    return several.serve(connection, request, send)


def watch_changes(connection, request, send):
    import changes

    return changes.watch(connection, request, send)


WORK = {'read': contents.read, 'write': contents.write, 'copy': contents.copy, 'stat': stat_one,
        'list': list_folder, 'mkdir': make_folder, 'move': move, 'remove': remove, 'changes': watch_changes,
        'several': serve_several}
