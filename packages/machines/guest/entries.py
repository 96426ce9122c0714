"""Describes files and folders for the service."""
import errno
import os
import stat


def wrong_kind(problem, path):
    return OSError(errno.EISDIR, problem, path)


def as_text(name):
    """Decodes a file name. Bytes that are not UTF-8 are replaced."""
    return os.fsencode(name).decode('utf8', 'replace')


def entry(found, name, path):
    kind = ('directory' if stat.S_ISDIR(found.st_mode) else 'file' if stat.S_ISREG(found.st_mode)
            else 'symlink' if stat.S_ISLNK(found.st_mode) else 'other')
    answer = dict(name=as_text(name), kind=kind, size=found.st_size, mode=stat.S_IMODE(found.st_mode),
                  user=found.st_uid, group=found.st_gid, modifiedMs=found.st_mtime_ns // 1_000_000)
    if kind == 'symlink':
        answer['target'] = as_text(os.readlink(path))
    return answer
