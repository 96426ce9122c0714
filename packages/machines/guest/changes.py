"""Reports changes in a folder, using inotify. If the caller reads too slowly, the kernel reports an overflow."""
import ctypes
import errno
import os
import select
import stat
import struct

from entries import as_text, wrong_kind

MODIFY, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x2, 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF, OVERFLOW, IGNORED, IS_FOLDER = 0x400, 0x800, 0x4000, 0x8000, 0x40000000
ONLY_FOLDER, NO_FOLLOW = 0x1000000, 0x2000000
WATCHED = MODIFY | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
KINDS = {MODIFY: 'modified', MOVED_FROM: 'removed', MOVED_TO: 'created', CREATE: 'created', DELETE: 'removed'}
# The max number of subfolders to watch; the kernel has its own limit per user.
MAX_FOLDERS = 4096
# Errors for entries that have disappeared in the meantime, or that this user cannot access.
GONE = (FileNotFoundError, NotADirectoryError, PermissionError)

libc = ctypes.CDLL(None, use_errno=True)


def checked(result, path):
    if result < 0:
        code = ctypes.get_errno()
        if code == errno.ENOSPC:
            raise OSError(errno.EMFILE, 'more folders than the machine can watch', path)
        raise OSError(code, os.strerror(code), path)
    return result


class Watch:
    def __init__(self, root, recursive):
        if not stat.S_ISDIR(os.stat(root).st_mode):
            raise wrong_kind('not a folder', root)
        self._root, self._recursive, self._folders = os.fsencode(root), recursive, {}
        self.fd = checked(libc.inotify_init1(os.O_CLOEXEC), root)
        self._number = self._watch_one(b'', 0)
        for what, *_ in self._below(b''):
            if what == 'overflow':
                raise OSError(errno.EMFILE, f'has more than {MAX_FOLDERS} folders below it', root)

    def _watch_one(self, folder, flags):
        path = self._root + (b'/' + folder if folder else b'')
        # gVisor would watch a folder that this user may not list.
        if not os.access(path, os.R_OK, effective_ids=True):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        number = checked(libc.inotify_add_watch(self.fd, path, WATCHED | ONLY_FOLDER | flags), path)
        self._folders[number] = folder
        return number

    def _below(self, folder):
        """Watches everything below a folder if the watch is recursive, and yields what exists already."""
        pending = [folder] if self._recursive else []
        while pending:
            folder = pending.pop()
            try:
                with os.scandir(os.path.join(self._root, folder)) as found:
                    for each in found:
                        path, is_folder = os.path.join(folder, each.name), each.is_dir(follow_symlinks=False)
                        if is_folder and len(self._folders) >= MAX_FOLDERS:
                            yield 'overflow', None, False
                        elif is_folder and self._watch_found(path):
                            pending.append(path)
                        yield 'created', as_text(path), is_folder
            except GONE:
                pass

    def _watch_found(self, folder):
        try:
            return self._watch_one(folder, NO_FOLLOW)
        except GONE:
            return None

    def _forget_below(self, folder):
        """Stops watching a folder that was moved away, because its path is no longer valid."""
        for number, path in list(self._folders.items()):
            if path == folder or path.startswith(folder + b'/'):
                libc.inotify_rm_watch(self.fd, number)
                del self._folders[number]

    def read(self):
        """Yields the changes that arrived as (what, path, is a folder), without consecutive duplicates."""
        data, at, last = os.read(self.fd, 1 << 16), 0, None
        while at < len(data):
            number, mask, _, length = struct.unpack_from('iIII', data, at)
            name = data[at + 16:at + 16 + length].rstrip(b'\0')
            at += 16 + length
            for change in self._changes(number, mask, name):
                if change != last:
                    yield change
                last = change

    def _changes(self, number, mask, name):
        if mask & OVERFLOW:
            yield 'overflow', None, False
        elif number == self._number and mask & (DELETE_SELF | MOVE_SELF | IGNORED):
            yield 'ended', None, False
        elif mask & IGNORED:
            self._folders.pop(number, None)
        elif name and number in self._folders:
            path, is_folder = os.path.join(self._folders[number], name), bool(mask & IS_FOLDER)
            change = next(kind for bit, kind in KINDS.items() if mask & bit), as_text(path), is_folder
            if is_folder and self._recursive and mask & (CREATE | MOVED_TO):
                yield from self._appeared(path, change)
            else:
                yield change
            if is_folder and mask & MOVED_FROM:
                self._forget_below(path)

    def _appeared(self, folder, change):
        """Watches a new folder before it is reported, so that callers can rely on it."""
        self._watch_found(folder)
        yield change
        yield from self._below(folder)


def watch(connection, request, send):
    found = Watch(request['path'], request.get('recursive', False))
    send({'ok': True})
    poll = select.poll()
    poll.register(found.fd, select.POLLIN)
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP)
    while True:
        for fd, _ in poll.poll():
            if fd != found.fd:
                return
            for what, path, is_folder in found.read():
                send({'change': what, **({} if path is None else {'path': path, 'folder': is_folder})})
                if what == 'ended':
                    return
