"""Reads, copies and writes file contents; a write is atomic. A service on the same host may open the file that
was opened here, through the ids of this process and its descriptor, and read or write it directly."""
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
        os.close(fd)
        raise wrong_kind('not a regular file', path)
    return fd, found


def is_changed(fd, since):
    now = os.fstat(fd)
    return (now.st_size, now.st_mtime_ns) != (since.st_size, since.st_mtime_ns)


def read(connection, request, send):
    """Opens a file, sends its metadata, reads which part is wanted, and sends that part."""
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
        # The content is complete only with this last byte.
        if not (wanted['steady'] and is_changed(fd, found)):
            connection.sendall(b'.')
    except OSError:
        # Sending fewer bytes than announced is the only way to report the error, unless the reader has disconnected
        # anyway.
        os._exit(1)


class Naming:
    """Names the path that the caller knows in errors, instead of the temporary file."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if isinstance(error, OSError):
            error.filename, error.filename2 = self._path, None


class Part:
    """A file that is being written. It gets its final name once it is complete and synced, in the folder that
    was opened, even if that folder is moved in the meantime."""

    def __init__(self, path, mode, flags):
        if path.endswith('/'):
            raise wrong_kind('the name of a folder', path)
        folder, self._name = os.path.split(os.path.realpath(path))
        self._path = path
        make_folders(folder)
        self._folder = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        with Naming(path):
            self._create(path, mode, flags)

    def _create(self, path, mode, flags):
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
        """Runs before the failure is reported. The space is free once the file has neither a name nor an open
        descriptor."""
        os.close(self.fd)
        if kind is not None:
            try:
                os.unlink(self._part, dir_fd=self._folder)
            except FileNotFoundError:
                pass  # The guest removed it; report the original failure.

    def finish(self):
        """Renames the file once its content is synced. Until then, an existing file keeps the name."""
        with Naming(self._path):
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
    # Data that the service wrote directly, data that arrives here, and the mark are appended in order.
    with Part(request['path'], request.get('mode'), os.O_APPEND) as part:
        send({'ok': True, 'pid': os.getpid(), 'fd': part.fd})
        buffer = memoryview(bytearray(CHUNK))
        while count := connection.recv_into(buffer):
            write_all(part.fd, buffer[:count])
        # The mark of the sender at the end distinguishes a complete file from an interrupted one.
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
