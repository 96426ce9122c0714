"""Writes the root file system as a compressed tar stream to stdout, and then a line of JSON with the SHA-256 of the
tar to stderr. It stays on one file system, and leaves out sockets and what lives only as long as the machine runs."""
import errno
import gzip
import hashlib
import json
import os
import stat
import sys
import tarfile

VOLATILE = {b'proc', b'sys', b'dev', b'run', b'tmp'}
CHUNK = 1024 * 1024
ROOT = os.fsencode(sys.argv[1]) if len(sys.argv) > 1 else b'/'


class Output:
    """Hashes the tar, and passes it on compressed."""

    def __init__(self):
        self.hash = hashlib.sha256()
        # No time and no name, so that the same files give the same bytes.
        self.zip = gzip.GzipFile(filename='', mode='wb', compresslevel=1, fileobj=sys.stdout.buffer, mtime=0)

    def write(self, data):
        self.hash.update(data)
        return self.zip.write(data)

    def close(self):
        self.zip.close()
        sys.stdout.buffer.flush()


class Padded:
    """Reads exactly as many bytes as were announced: a file may become shorter while it is read."""

    def __init__(self, file, pieces, head=b''):
        self.file = file
        self.pieces = list(pieces)
        self.head = head

    def read(self, size):
        parts = [self.head[:size]]
        self.head = self.head[size:]
        size -= len(parts[0])
        while size > 0 and self.pieces:
            start, length = self.pieces[0]
            wanted = min(size, length)
            data = os.pread(self.file, min(wanted, CHUNK), start) or bytes(wanted)
            parts.append(data)
            size -= len(data)
            self.pieces[0] = (start + len(data), length - len(data))
            if self.pieces[0][1] == 0:
                self.pieces.pop(0)
        return b''.join(parts) + bytes(size)


def mount_points():
    """Everything that is mounted below the root, which is not part of its file system."""
    with open('/proc/self/mountinfo', 'rb') as file:
        paths = (line.split(b' ')[4] for line in file)
        return {path.decode('unicode_escape').encode('latin-1') for path in paths}


def text(data):
    return data.decode('utf-8', 'surrogateescape')


def attributes(path):
    """The extended attributes, as pax records."""
    found = {}
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:
        return found
    for name in names:
        try:
            found['SCHILY.xattr.' + name] = text(os.getxattr(path, name, follow_symlinks=False))
        except OSError:
            pass
    return found


def extents(file, size):
    """The parts of a file that are no holes."""
    parts, at = [], 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                break
            return [(0, size)]
        at = min(os.lseek(file, start, os.SEEK_HOLE), size)
        parts.append((start, at - start))
    return parts


class Archive:
    def __init__(self, output):
        self.tar = tarfile.open(
            fileobj=output, mode='w|', format=tarfile.PAX_FORMAT, encoding='utf-8', errors='surrogateescape', bufsize=CHUNK
        )
        self.links = {}
        self.mounts = mount_points()

    def add_folder(self, path, name):
        entries = sorted(os.listdir(path))
        for entry in entries:
            below = os.path.join(path, entry)
            try:
                info = os.lstat(below)
                self.add(below, name + entry, info)
                # The library keeps every entry that it has written.
                self.tar.members.clear()
            except FileNotFoundError:
                continue
            is_volatile = name == b'' and entry in VOLATILE
            if stat.S_ISDIR(info.st_mode) and not is_volatile and below not in self.mounts:
                self.add_folder(below, name + entry + b'/')

    def add(self, path, name, info):
        kind = stat.S_IFMT(info.st_mode)
        if path in self.mounts and kind != stat.S_IFDIR or kind == stat.S_IFSOCK:
            return
        entry = tarfile.TarInfo(text(name))
        entry.mode = stat.S_IMODE(info.st_mode)
        entry.uid, entry.gid = info.st_uid, info.st_gid
        entry.pax_headers = attributes(path)
        seconds, rest = divmod(info.st_mtime_ns, 10**9)
        entry.pax_headers['mtime'] = '%d.%09d' % (seconds, rest) if seconds >= 0 else '0'
        key = (info.st_dev, info.st_ino)
        if kind != stat.S_IFDIR and info.st_nlink > 1 and key in self.links:
            entry.type, entry.linkname = tarfile.LNKTYPE, text(self.links[key])
            return self.tar.addfile(entry)
        if kind == stat.S_IFREG:
            self.add_file(path, entry, info)
        elif kind == stat.S_IFDIR:
            entry.type = tarfile.DIRTYPE
            self.tar.addfile(entry)
        elif kind == stat.S_IFLNK:
            entry.type, entry.linkname = tarfile.SYMTYPE, text(os.readlink(path))
            self.tar.addfile(entry)
        elif kind == stat.S_IFIFO:
            entry.type = tarfile.FIFOTYPE
            self.tar.addfile(entry)
        else:
            entry.type = tarfile.CHRTYPE if kind == stat.S_IFCHR else tarfile.BLKTYPE
            entry.devmajor, entry.devminor = os.major(info.st_rdev), os.minor(info.st_rdev)
            self.tar.addfile(entry)
        if info.st_nlink > 1:
            self.links[key] = name

    def add_file(self, path, entry, info):
        size = info.st_size
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            parts = [(0, size)]
            if info.st_blocks * 512 < size:
                parts = extents(file, size)
            if parts == [(0, size)] or size == 0:
                entry.size = size
                return self.tar.addfile(entry, Padded(file, parts))
            # The sparse format 1.0 of GNU tar: a map of the parts, and then the parts.
            shown = parts + [(size, 0)]
            numbers = [len(shown)] + [number for part in shown for number in part]
            head = b''.join(b'%d\n' % number for number in numbers)
            head += bytes(-len(head) % 512)
            entry.pax_headers.update({
                'GNU.sparse.major': '1', 'GNU.sparse.minor': '0',
                'GNU.sparse.name': entry.name, 'GNU.sparse.realsize': str(size),
            })
            entry.size = len(head) + sum(length for _, length in parts)
            self.tar.addfile(entry, Padded(file, parts, head))
        finally:
            os.close(file)


def main():
    output = Output()
    archive = Archive(output)
    try:
        archive.add_folder(ROOT, b'')
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            sys.exit('A path is longer than 4096 bytes.')
        raise
    archive.tar.close()
    output.close()
    print(json.dumps({'sha256': output.hash.hexdigest()}), file=sys.stderr)


sys.setrecursionlimit(100_000)
main()
