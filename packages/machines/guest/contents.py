"""The content of files: read, copied, and written whole or not at all. A service on the same host may take the file that
was opened here, by the numbers of this process and of its descriptor, and read or write it by itself."""
import json
import os
import socket
import stat

from durable import make_folders, sync, sync_folder
from entries import entry, wrong_kind

CHUNK = 1 << 20


def open_regular(path):
    # Without O_NONBLOCK, opening a FIFO would wait for a writer.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise wrong_kind('not a regular file', path)
    return fd, found


def is_changed(fd, since):
    now = os.fstat(fd)
    return (now.st_size, now.st_mtime_ns) != (since.st_size, since.st_mtime_ns)


def read(connection, request, send):
    """Opens, tells what was opened, is told which part is wanted, and sends it."""
    fd, found = open_regular(request['path'])
    info = entry(found, os.path.basename(os.path.abspath(request['path'])), request['path'])
    send({'ok': True, 'info': info, 'pid': os.getpid(), 'fd': fd})
    wanted = connection.makefile('rb').readline(4096)
    if not wanted:
        return
    wanted = json.loads(wanted)
    offset, left = wanted['offset'], wanted['length']
    try:
        while left:
            sent = os.sendfile(connection.fileno(), fd, offset, min(left, CHUNK))
            if not sent:
                return
            offset, left = offset + sent, left - sent
        # Only with this last byte is the content whole.
        if not (wanted['steady'] and is_changed(fd, found)):
            connection.sendall(b'.')
    except OSError:
        # Fewer bytes than were promised are the only way to tell of it; or the reader has gone.
        os._exit(1)


class Part:
    """A file that is being written. It gets its name when it is whole and stored, in the folder that was found, wherever
    that may be moved meanwhile."""

    def __init__(self, path, mode, flags):
        if path.endswith('/'):
            raise wrong_kind('the name of a folder', path)
        folder, self._name = os.path.split(os.path.realpath(path))
        make_folders(folder)
        self._folder = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        try:
            existing = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
            if not stat.S_ISREG(existing.st_mode):
                raise wrong_kind('is a folder' if stat.S_ISDIR(existing.st_mode) else 'not a regular file', path)
            mode = stat.S_IMODE(existing.st_mode) if mode is None else mode
            self._is_new = False
        except FileNotFoundError:
            mode = 0o644 if mode is None else mode
            self._is_new = True
        self._mode, self._part = mode & 0o777, f'.{os.urandom(12).hex()}.part'
        self.fd = os.open(self._part, os.O_RDWR | os.O_CREAT | os.O_EXCL | flags, 0o600, dir_fd=self._folder)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        """Before anybody is told: the space of a file that failed is free once it has neither name nor holder."""
        os.close(self.fd)
        if kind is not None:
            try:
                os.unlink(self._part, dir_fd=self._folder)
            except FileNotFoundError:
                pass  # The guest removed it; why the file failed is what counts.

    def finish(self):
        """Gives the file its name once its content is stored. Until then whatever had the name before keeps it."""
        os.fchmod(self.fd, self._mode)
        sync(self.fd)
        os.replace(self._part, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        try:
            sync_folder(f'/proc/self/fd/{self._folder}') or sync(self.fd)
        except OSError:
            if self._is_new:
                os.unlink(self._name, dir_fd=self._folder)
            raise
        return {'info': entry(os.fstat(self.fd), self._name, None)}


def write(connection, request, send):
    end = request['end'].encode()
    # What the service wrote by itself, what comes here and the mark follow each other.
    with Part(request['path'], request.get('mode'), os.O_APPEND) as part:
        send({'ok': True, 'pid': os.getpid(), 'fd': part.fd})
        buffer = memoryview(bytearray(CHUNK))
        while count := connection.recv_into(buffer):
            write_all(part.fd, buffer[:count])
        # The sender's mark at the end tells a whole file from one that was broken off.
        size = os.fstat(part.fd).st_size - len(end)
        if size < 0 or os.pread(part.fd, len(end), size) != end:
            raise ConnectionError('the sender went away')
        os.ftruncate(part.fd, size)
        return part.finish()


def write_all(fd, view):
    while view:
        view = view[os.write(fd, view):]


def copy(connection, request, send):
    fd, found = open_regular(request['path'])
    with Part(request['to'], found.st_mode, 0) as part:
        while os.sendfile(part.fd, fd, None, 16 * CHUNK):
            if is_gone(connection):
                raise ConnectionError('the caller went away')
        if is_changed(fd, found):
            raise OSError(None, 'changed while it was copied', request['path'])
        return part.finish()


def is_gone(connection):
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b''
    except BlockingIOError:
        return False
