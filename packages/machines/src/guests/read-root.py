"""Makes the root file system equal to the compressed tar stream on stdin, and changes only what differs. It runs while
programs use these files, so it replaces them and never writes into them. A message on stderr says why it failed."""
import errno
import gzip
import os
import resource
import shutil
import stat
import sys
import tarfile
import zlib

VOLATILE = {b'proc', b'sys', b'dev', b'run', b'tmp'}
CHUNK = 1024 * 1024
ROOT = os.fsencode(sys.argv[1]) if len(sys.argv) > 1 else b'/'
HOLE = bytes(4096)
XATTR = 'SCHILY.xattr.'
MiB = 1024 * 1024
# What an archive can have besides what fits on the disk: files of the image, and zeros, which take no space.
MAX_MORE_BYTES = 64 * 1024 * MiB
# What this program needs, and what it keeps in memory for each file.
BASE_MEMORY_BYTES = 256 * MiB
FILE_MEMORY_BYTES = 512


class Refused(Exception):
    pass


def data(string):
    return string.encode('utf-8', 'surrogateescape')


def mount_points():
    with open('/proc/self/mountinfo', 'rb') as file:
        paths = (line.split(b' ')[4] for line in file)
        return {path.decode('unicode_escape').encode('latin-1') for path in paths}


def lstat(path):
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def remove(path, info):
    if stat.S_ISDIR(info.st_mode):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def parts_of(name):
    """The folders and the name of an entry; none may lead out of the folder that it is in."""
    parts = [part for part in data(name).split(b'/') if part not in (b'', b'.')]
    if b'..' in parts:
        raise Refused('The archive has a path with "..".')
    return parts


def mtime_of(entry):
    seconds, _, rest = entry.pax_headers.get('mtime', str(entry.mtime)).partition('.')
    return int(seconds) * 10**9 + int(rest[:9].ljust(9, '0'))


class Entry(tarfile.TarInfo):
    """The library takes a header that it cannot read for the end of the archive, and what comes after it would be lost."""

    @classmethod
    def fromtarfile(cls, tar):
        try:
            return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:
            raise
        except (tarfile.EmptyHeaderError, tarfile.TruncatedHeaderError):
            raise Refused('The archive ends too early.')
        except tarfile.HeaderError as error:
            raise Refused(f'The archive is damaged: {error}.')


class Unpacked:
    """The archive without its compression. It ends with an error where a small layer would become an endless archive, and
    where the library would wait for more without an end."""

    def __init__(self, layer, most):
        self.zip = gzip.GzipFile(fileobj=layer, mode='rb')
        self.left = most
        self.ends = 0

    def read(self, size):
        content = self.zip.read(size)
        self.left -= len(content)
        if self.left < 0:
            raise Refused('The archive is larger than a machine of this shape can have.')
        self.ends += not content
        if self.ends > 100:
            raise Refused('The archive ends too early.')
        return content


class Root:
    def __init__(self):
        self.mounts = mount_points()
        self.seen = set()
        # Folders that were found or created, and are no links.
        self.folders = {b''}
        self.folder_times = {}
        # Files with several names, by what identifies them on this file system.
        self.claimed = {}
        # What was read of an entry, but not written yet.
        self.rest = b''

    def path(self, name):
        return os.path.join(ROOT, name)

    def read(self, tar):
        while entry := tar.next():
            # The library keeps every entry that it has read.
            tar.members.clear()
            parts = parts_of(entry.name)
            if not parts:
                continue
            name = b'/'.join(parts)
            if parts[0] in VOLATILE and len(parts) > 1 or self.is_mounted(parts):
                continue
            self.require_folders(parts[:-1])
            self.seen.add(name)
            if name in self.folders and not entry.isdir():
                # Everything below it may lead elsewhere from now on.
                self.folders = {b''}
            if parts[0] in VOLATILE or self.path(name) in self.mounts:
                continue
            self.restore(entry, name)

    def is_mounted(self, parts):
        """Whether the entry is below something that is mounted here."""
        if b'/'.join(parts[:-1]) in self.folders:
            return False
        return any(self.path(b'/'.join(parts[:depth])) in self.mounts for depth in range(1, len(parts)))

    def require_folders(self, parts):
        if b'/'.join(parts) in self.folders:
            return
        for depth in range(1, len(parts) + 1):
            name = b'/'.join(parts[:depth])
            if name in self.folders:
                continue
            info = lstat(self.path(name))
            if info and not stat.S_ISDIR(info.st_mode):
                remove(self.path(name), info)
                info = None
            if not info:
                os.mkdir(self.path(name), 0o755)
            self.folders.add(name)
            self.seen.add(name)

    def restore(self, entry, name):
        path = self.path(name)
        info = lstat(path)
        if entry.isreg():
            self.restore_file(entry, path, info)
        elif entry.isdir():
            self.restore_folder(entry, name, path, info)
        elif entry.issym():
            self.restore_link(entry, path, info)
        elif entry.islnk():
            self.restore_name(entry, path, info)
        elif entry.isfifo():
            if info and not stat.S_ISFIFO(info.st_mode):
                remove(path, info)
                info = None
            if not info:
                os.mkfifo(path, 0o600)
            self.set_attributes(entry, path, info)
        else:
            # A machine has no devices but those that it is given.
            self.seen.discard(name)

    def restore_folder(self, entry, name, path, info):
        if info and not stat.S_ISDIR(info.st_mode):
            remove(path, info)
            info = None
        if not info:
            os.mkdir(path, 0o700)
        self.folders.add(name)
        self.folder_times[path] = mtime_of(entry)
        self.set_attributes(entry, path, info)

    def restore_link(self, entry, path, info):
        target = data(entry.linkname)
        if info and not (stat.S_ISLNK(info.st_mode) and os.readlink(path) == target):
            remove(path, info)
            info = None
        if not info:
            os.symlink(target, path)
        self.set_attributes(entry, path, info)

    def restore_name(self, entry, path, info):
        parts = parts_of(entry.linkname)
        name = b'/'.join(parts)
        first = self.path(name)
        # A folder that is a link would lead to a file that the archive does not have.
        is_here = name in self.seen and b'/'.join(parts[:-1]) in self.folders
        source = lstat(first) if is_here else None
        if not source or stat.S_ISDIR(source.st_mode):
            raise Refused('The archive has a link to something that it does not have.')
        if info and (info.st_dev, info.st_ino) == (source.st_dev, source.st_ino):
            return
        if info:
            remove(path, info)
        os.link(first, path, follow_symlinks=False)
        # Making a link may give the file another identity, where it was part of the image until now.
        self.claim(os.lstat(first), first)

    def claim(self, info, path):
        if info.st_nlink > 1:
            self.claimed.setdefault((info.st_dev, info.st_ino), path)

    def restore_file(self, entry, path, info):
        is_file = info and stat.S_ISREG(info.st_mode)
        if info and not is_file:
            remove(path, info)
            info = None
        # What are two files in the archive must not be two names of one file here.
        is_shared = info and (info.st_dev, info.st_ino) in self.claimed
        same = 0
        if info and info.st_size == entry.size and not is_shared:
            same = self.count_same(entry, path)
            if same == entry.size and not entry.sparse:
                self.claim(info, path)
                return self.set_attributes(entry, path, info)
        self.replace(entry, path, same)
        self.set_attributes(entry, path, None)
        self.claim(os.lstat(path), path)

    def count_same(self, entry, path):
        """Reads the entry as long as it equals the file, and returns how many bytes do."""
        if entry.sparse:
            return 0
        self.begin_content(entry)
        at = 0
        with open(path, 'rb', buffering=0) as file:
            while at < entry.size:
                chunk = self.read_content(min(CHUNK, entry.size - at))
                if os.pread(file.fileno(), len(chunk), at) != chunk:
                    self.rest = chunk
                    return at
                at += len(chunk)
        return at

    def begin_content(self, entry):
        # Read from the stream itself, because what the library returns for a sparse file needs one that can seek.
        self.tar.fileobj.seek(entry.offset_data)

    def read_content(self, size):
        chunk = self.tar.fileobj.read(size)
        if len(chunk) < size:
            raise Refused('The archive ends too early.')
        return chunk

    def replace(self, entry, path, same):
        new = path[: path.rfind(b'/') + 1] + b'.sandglass-import'
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if entry.sparse:
                self.write_parts(entry, file)
            else:
                if same:
                    self.copy_start(path, file, same)
                elif not self.rest:
                    self.begin_content(entry)
                self.write_rest(entry, file, same)
            os.ftruncate(file, entry.size)
        except BaseException:
            os.unlink(new)
            raise
        finally:
            os.close(file)
            self.rest = b''
        os.rename(new, path)

    def copy_start(self, path, file, length):
        with open(path, 'rb', buffering=0) as old:
            at = 0
            while at < length:
                at += write_at(file, os.pread(old.fileno(), min(CHUNK, length - at), at), at)

    def write_rest(self, entry, file, at):
        chunk, self.rest = self.rest, b''
        while at < entry.size:
            chunk = chunk or self.read_content(min(CHUNK, entry.size - at))
            at += write_at(file, chunk, at)
            chunk = b''

    def write_parts(self, entry, file):
        self.begin_content(entry)
        for start, length in entry.sparse:
            at = 0
            while at < length:
                at += write_at(file, self.read_content(min(CHUNK, length - at)), start + at)

    def set_attributes(self, entry, path, info):
        """Sets what differs. A change of the owner removes the setuid bit, so the mode comes after it."""
        is_link = entry.issym()
        is_moved = not info or (info.st_uid, info.st_gid) != (entry.uid, entry.gid)
        if is_moved:
            os.chown(path, entry.uid, entry.gid, follow_symlinks=False)
        self.set_xattrs(entry, path)
        if not is_link and (is_moved or stat.S_IMODE(info.st_mode) != entry.mode & 0o7777):
            os.chmod(path, entry.mode & 0o7777)
        time = mtime_of(entry)
        if not entry.isdir() and (not info or os.lstat(path).st_mtime_ns != time):
            os.utime(path, ns=(time, time), follow_symlinks=False)

    def set_xattrs(self, entry, path):
        wanted = {key[len(XATTR):]: data(value) for key, value in entry.pax_headers.items() if key.startswith(XATTR)}
        try:
            present = os.listxattr(path, follow_symlinks=False)
        except OSError:
            present = []
        for name in present:
            if name not in wanted:
                os.removexattr(path, name, follow_symlinks=False)
        for name, value in wanted.items():
            if name in present and os.getxattr(path, name, follow_symlinks=False) == value:
                continue
            try:
                os.setxattr(path, name, value, follow_symlinks=False)
            except OSError as error:
                # An attribute that this machine does not allow is left out.
                if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EINVAL):
                    raise

    def remove_others(self, folder=b''):
        """Removes what the archive does not have, except for what is mounted."""
        for entry in os.listdir(self.path(folder)):
            name = folder + b'/' + entry if folder else entry
            path = self.path(name)
            info = lstat(path)
            if not info or path in self.mounts or folder == b'' and entry in VOLATILE:
                continue
            has_mounts = any(mount.startswith(path + b'/') for mount in self.mounts)
            if name not in self.seen and not has_mounts:
                remove(path, info)
            elif stat.S_ISDIR(info.st_mode):
                self.remove_others(name)

    def set_folder_times(self):
        for path, time in reversed(self.folder_times.items()):
            info = lstat(path)
            if info and info.st_mtime_ns != time:
                os.utime(path, ns=(time, time), follow_symlinks=False)


def write_at(file, chunk, at):
    """Leaves holes where the content is zero."""
    for start in range(0, len(chunk), 65536):
        piece = chunk[start : start + 65536]
        if piece.count(0) == len(piece) and len(piece) >= len(HOLE):
            continue
        done = 0
        while done < len(piece):
            done += os.pwrite(file, piece[done:], at + start + done)
    return len(chunk)


def limit_memory(space):
    """Without it, a header that claims to be large takes the memory of the machine, which then ends the program silently."""
    most = BASE_MEMORY_BYTES + FILE_MEMORY_BYTES * space.f_files
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def restore(root, source):
    root.tar = tarfile.open(
        fileobj=source, mode='r|', tarinfo=Entry, encoding='utf-8', errors='surrogateescape', bufsize=CHUNK
    )
    root.read(root.tar)
    while source.read(CHUNK):
        pass
    root.remove_others()
    root.set_folder_times()


def main():
    space = os.statvfs(ROOT)
    limit_memory(space)
    source = Unpacked(sys.stdin.buffer, space.f_blocks * space.f_frsize + MAX_MORE_BYTES)
    try:
        restore(Root(), source)
    except Refused as refusal:
        sys.exit(str(refusal))
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        sys.exit(f'The layer is not a compressed tar archive: {error}')
    except (ValueError, OverflowError) as error:
        sys.exit(f'The archive has a header that cannot be used: {error}')
    except MemoryError:
        sys.exit('The archive needs too much memory.')
    except OSError as error:
        if error.errno == errno.ENOSPC:
            sys.exit('NO_SPACE')
        if error.errno == errno.ENAMETOOLONG:
            sys.exit('The archive has a path that is too long.')
        sys.exit(f'The files could not be restored: {error}')
    os.sync()


sys.setrecursionlimit(100_000)
main()
