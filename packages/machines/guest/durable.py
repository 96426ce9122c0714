"""Ensures that acknowledged data is on the disk of the host. The disk of a machine is a file on the host: if the
host is full, a write still succeeds in memory, and only fsync reports that it is lost."""
import errno
import os


class HostFull(OSError):
    """The host could not store what the machine wrote, although the machine's own disk has space."""


def sync(fd):
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOTSUP):
            return  # This file system is not stored on a disk.
        if error.errno == errno.EIO or (error.errno in (errno.ENOSPC, errno.EDQUOT) and has_space(fd)):
            raise HostFull(error.errno, "the disk of the sandbox's host is full or failing, and nothing was stored")
        raise


def has_space(fd):
    return os.fstatvfs(fd).f_bavail > 0


def sync_folder(path):
    """Returns False if the user may write to the folder but not read it, because it cannot be opened for syncing
    then."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return False
    try:
        sync(fd)
    finally:
        os.close(fd)
    return True


def parent(path):
    return os.path.dirname(path.rstrip('/')) or ('/' if path.startswith('/') else '.')


def make_folders(path):
    """Like makedirs, but removes folders that could not be synced: otherwise a repeated request would find them
    and succeed."""
    missing, folder = [], path
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = parent(folder)
    os.makedirs(path, exist_ok=True)
    if not missing:
        return
    try:
        for made in (*missing, folder):
            sync_folder(made)
    except OSError:
        for made in missing:
            try:
                os.rmdir(made)
            except OSError:
                break  # Something was created in it in the meantime.
        raise
