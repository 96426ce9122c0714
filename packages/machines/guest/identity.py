"""Says who a virtual machine is. Machines start from the memory of one that booted earlier, or of the one that they were forked
from, so each gets a clock, random numbers, names and an address of its own before anybody uses it."""
import base64
import fcntl
import glob
import os
import signal
import socket
import struct
import subprocess
import time

from interface import connect

RNDADDENTROPY, RNDRESEEDCRNG = 0x40085203, 0x5207
HOST_KEYS = '/etc/ssh/ssh_host_*'


def adopt(identity):
    set_clock(identity['time'])
    add_entropy(base64.b64decode(identity['entropy']))
    socket.sethostname(identity['hostname'])
    for name, text in identity['files'].items():
        write(os.path.join('/etc', name), text)
    write('/sys/fs/cgroup/machine/pids.max', str(identity['pids']))
    connect(identity.get('address'), identity.get('gateway'))
    if not identity['sudo']:
        subprocess.run(['mount', '-o', 'remount,nosuid', '/'], check=True)
    if identity['isNew']:
        renew_host_keys()


def set_clock(seconds):
    time.clock_settime(time.CLOCK_REALTIME, seconds)


def add_entropy(seed):
    """The kernel mixes the seed in and forgets what it had prepared, so that no two machines continue with the same numbers."""
    with open('/dev/urandom', 'wb') as device:
        fcntl.ioctl(device, RNDADDENTROPY, struct.pack('ii', len(seed) * 8, len(seed)) + seed)
        fcntl.ioctl(device, RNDRESEEDCRNG)


def write(path, text):
    if os.path.islink(path):
        os.unlink(path)
    # It is cut off after it was written, because a file that becomes empty first goes to the disk when it is closed.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644), 'w') as file:
        file.write(text)
        file.truncate()


def renew_host_keys():
    """In a process of its own, because keys take a while to compute. The old ones are gone before anybody can connect."""
    keys = glob.glob(HOST_KEYS)
    for path in keys:
        os.unlink(path)
    if not keys or os.fork():
        return
    try:
        signal.set_wakeup_fd(-1)
        subprocess.run(['ssh-keygen', '-A'], check=True)
        with open('/run/sshd.pid') as file:
            os.kill(int(file.read()), signal.SIGHUP)
    finally:
        os._exit(0)
