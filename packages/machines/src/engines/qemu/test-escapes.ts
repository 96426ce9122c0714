import { addressOf, gateway } from '../local/network/addresses.ts'

/** Python for {@link attempts}. */
export const escapePrelude = `
import ctypes, errno, fcntl, json, mmap, os, socket, struct, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
number = dict(mount=165, setns=308, bpf=321, keyctl=250, init_module=175, open_by_handle_at=304, perf_event_open=298, unshare=272,
  mknodat=259, reboot=169, settimeofday=164, swapon=167, pivot_root=155, ptrace=101, io_uring_setup=425, fsopen=430, open_tree=428,
  userfaultfd=323, kexec_load=246, clone=56, clone3=435, process_vm_readv=310, pidfd_open=434, pidfd_getfd=438, chroot=161)
def call(name, *args):
    if libc.syscall(number[name], *args) < 0: return errno.errorcode[ctypes.get_errno()]
    return 'ESCAPED'
def attempt(work):
    try: work()
    except OSError as error: return errno.errorcode[error.errno or errno.ETIMEDOUT]
    except ValueError as error: return str(error)
    return 'ESCAPED'
def tap(request, argument=b'\\0' * 40): return attempt(lambda: fcntl.ioctl(3, request, argument))
def mapped_for_writing():
    libc.mmap.restype = ctypes.c_void_p
    place = libc.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED, 4, ctypes.c_size_t(0))
    if libc.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(4096), 3) < 0: return errno.errorcode[ctypes.get_errno()]
    return 'ESCAPED'
def written_by_name():
    with open('/proc/self/fd/4', 'r+b', buffering=0) as file: file.write(b'changed')
`

export const denied = ['EPERM', 'EACCES', 'ENOSYS', 'EROFS', 'ENOENT', 'ESRCH', 'ENXIO', 'EAFNOSUPPORT']

/**
 * What QEMU tries that its guest has taken over. Each is an expression that returns the name of an error, or ESCAPED. Names in
 * capitals stand for what the test knows.
 */
export const attempts: Readonly<Record<string, string>> = {
  'write to the memory of its template': `attempt(lambda: os.write(4, b'changed'))`,
  'write to the memory of its template somewhere': `attempt(lambda: os.pwrite(4, b'changed', 1 << 20))`,
  'open the memory of its template again': `attempt(written_by_name)`,
  'map the memory of its template': `attempt(lambda: mmap.mmap(4, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE))`,
  'map the memory of its template, and ask for more later': `mapped_for_writing()`,
  'shorten the memory of its template': `attempt(lambda: os.ftruncate(4, 4096))`,
  'extend the memory of its template': `attempt(lambda: os.ftruncate(4, 8 << 30))`,
  'empty the memory of its template': `attempt(lambda: os.open('/proc/self/fd/4', os.O_RDWR | os.O_TRUNC))`,
  'make holes in the memory of its template': `'ESCAPED' if libc.fallocate(4, 3, ctypes.c_long(0), ctypes.c_long(4096)) == 0 else errno.errorcode[ctypes.get_errno()]`,
  'unseal the memory of its template': `attempt(lambda: fcntl.fcntl(4, 1033, 0))`,
  'see the files of machines': `attempt(lambda: os.listdir('DATA_DIR'))`,
  'see the templates': `attempt(lambda: os.listdir('IMAGES_DIR'))`,
  'read a file of the host': `attempt(lambda: open('/etc/passwd'))`,
  'read the home of root': `attempt(lambda: os.listdir('/root'))`,
  'write to its root': `attempt(lambda: os.mkdir('/escape'))`,
  'write to the programs of the host': `attempt(lambda: open('/usr/bin/escape', 'w'))`,
  'replace the kernel of its image': `attempt(lambda: open('/vm/kernel', 'r+b'))`,
  'replace the relay': `attempt(lambda: open('/run/sandglass/relay/relay.py', 'r+b'))`,
  'set the core pattern': `attempt(lambda: open('/proc/sys/kernel/core_pattern', 'w'))`,
  'use the magic SysRq key': `attempt(lambda: open('/proc/sysrq-trigger', 'w'))`,
  'be spared when memory is short': `attempt(lambda: open('/proc/self/oom_score_adj', 'wb', 0).write(b'-1000'))`,
  'map other users': `attempt(lambda: open('/proc/self/uid_map', 'wb', 0).write(b'0 0 1'))`,
  'read the kernel through /proc': `attempt(lambda: open('/proc/kcore', 'rb').read(1)[0])`,
  'open the memory of the kernel': `attempt(lambda: open('/dev/mem', 'rb'))`,
  'open a disk of the host': `attempt(lambda: open('/dev/vda', 'rb'))`,
  'open the virtualization of the host': `attempt(lambda: open('/dev/kvm', 'rb'))`,
  'open another tap': `attempt(lambda: open('/dev/net/tun', 'rb'))`,
  'make a device node': `attempt(lambda: os.mknod('/tmp/disk', 0o60600, os.makedev(254, 0)))`,
  'write to a cgroup': `attempt(lambda: os.mkdir('/sys/fs/cgroup/escape'))`,
  'trace a process outside': `call('ptrace', 16, HOST_PID, 0, 0)`,
  'read the memory of a process outside': `call('process_vm_readv', HOST_PID, 0, 0, 0, 0, 0)`,
  'open a process outside': `call('pidfd_open', HOST_PID, 0)`,
  'signal a process outside': `attempt(lambda: os.kill(HOST_PID, 0))`,
  'see a process outside': `attempt(lambda: open('/proc/HOST_PID/cmdline').read())`,
  mount: `call('mount', b'none', b'/tmp', b'tmpfs', 0, 0)`,
  'mount with the new API': `call('fsopen', b'proc', 0)`,
  'clone a mount': `call('open_tree', -100, b'/', 1)`,
  'change its root': `call('chroot', b'/tmp')`,
  'pivot its root': `call('pivot_root', b'/', b'/tmp')`,
  'join a namespace': `call('setns', os.open('/proc/self/ns/net', os.O_RDONLY), 0)`,
  'create a user namespace': `call('unshare', 0x10000000)`,
  'create a network namespace': `call('unshare', 0x40000000)`,
  'create a user namespace with a process': `call('clone', 0x10000000 | 17, 0, 0, 0, 0)`,
  'create a user namespace with the new call': `call('clone3', struct.pack('11Q', 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88)`,
  'load a module': `call('init_module', b'', 0, b'')`,
  'load another kernel': `call('kexec_load', 0, 0, 0, 0)`,
  'load a program into the kernel': `call('bpf', 0, b'\\0' * 64, 64)`,
  'use performance counters': `call('perf_event_open', b'\\0' * 112, 0, -1, -1, 0)`,
  'reach the keyring': `call('keyctl', 0, -3, 1)`,
  'open an io_uring': `call('io_uring_setup', 1, b'\\0' * 120)`,
  'handle page faults': `call('userfaultfd', 0)`,
  'open a file by its handle': `call('open_by_handle_at', -100, b'\\0' * 64, 0)`,
  'set the clock': `call('settimeofday', b'\\0' * 16, 0)`,
  'restart the host': `call('reboot', 0xfee1dead, 672274793, 0, 0)`,
  'reach the host over the loopback': `attempt(lambda: socket.create_connection(('127.0.0.1', HOST_PORT), 1))`,
  'reach the gateway without its guest': `attempt(lambda: socket.create_connection(('${gateway}', 53), 1))`,
  'reach another machine without its guest': `attempt(lambda: socket.create_connection(('${addressOf(0)}', 80), 1))`,
  'capture packets': `attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3))`,
  'change a link': `attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))`,
  'talk to the packet filter': `attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12))`,
  'talk to the hypervisor': `attempt(lambda: socket.socket(40, socket.SOCK_STREAM))`,
  'enter the namespace of its tap': `tap(0x894c)`,
}
