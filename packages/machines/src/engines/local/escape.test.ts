import assert from 'node:assert/strict'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Machine } from '../../contract/machine.ts'
import { idOf } from './handle.ts'
import type { LocalEngine } from './local-engine.ts'
import { machinePaths } from './machine-paths.ts'
import { addressOf, gateway } from './network/addresses.ts'
import { findInit } from './oci/init-process.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'

/** Makes system calls for which Python has no wrapper. Each prints the name of the error, or ESCAPED. */
const prelude = `
import ctypes, errno, os, platform, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == 'aarch64'
number = dict(mount=40, setns=268, bpf=280, keyctl=219, init_module=105, open_by_handle_at=265, perf_event_open=241,
  mknodat=33, reboot=142, settimeofday=170, swapon=224, pivot_root=41, ptrace=117, io_uring_setup=425, fsopen=430,
  open_tree=428, userfaultfd=282, kexec_load=104, quotactl=60, acct=89, setsockopt=208,
  getsockopt=209) if arm else dict(mount=165, setns=308, bpf=321,
  keyctl=250, init_module=175, open_by_handle_at=304, perf_event_open=298, mknodat=259, reboot=169, settimeofday=164,
  swapon=167, pivot_root=155, ptrace=101, io_uring_setup=425, fsopen=430, open_tree=428, userfaultfd=323,
  kexec_load=246, quotactl=179, acct=163, setsockopt=54, getsockopt=55)
def call(name, *args):
    if libc.syscall(number[name], *args) < 0: return errno.errorcode[ctypes.get_errno()]
    return 'ESCAPED'
def attempt(work):
    try: work()
    except OSError as error: return errno.errorcode[error.errno or errno.ETIMEDOUT]
    return 'ESCAPED'
def nested():
    assert libc.unshare(0x10000000 | 0x40000000 | 0x20000) == 0, 'no namespaces of its own'
def option(name, level, number):
    # A guest may set the upper bits of the registers, which the kernel ignores.
    one, value, size = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), b'\\0' * 96, ctypes.c_uint64(96)
    last = size.value if name == 'setsockopt' else ctypes.byref(size)
    forms = [(high | level, low | number) for high in (0, 1 << 32) for low in (0, 1 << 32)]
    got = {call(name, one.fileno(), ctypes.c_uint64(a), ctypes.c_uint64(b), value, last) for a, b in forms}
    return '/'.join(sorted(got))
def options(level, *numbers):
    nested()
    got = {option(name, level, number) for name in ('setsockopt', 'getsockopt') for number in numbers}
    # Without the filter, the kernel itself answers: with another error than EPERM, since the caller is root there.
    return 'EPERM' if got == {'EPERM'} else 'the kernel answered: %s' % got
`

const denied = [
  'EPERM',
  'EACCES',
  'ENOSYS',
  'EROFS',
  'ENOENT',
  'ESRCH',
  'ECONNREFUSED',
  'EINVAL',
  'ETIMEDOUT',
  'EBADF',
]

/** What a program inside tries, as root and as the user. Each is an expression that returns the error. */
const attempts: Readonly<Record<string, string>> = {
  'mount a filesystem': `call('mount', b'none', b'/mnt', b'tmpfs', 0, 0)`,
  'mount in its own namespaces': `(nested(), call('mount', b'none', b'/mnt', b'tmpfs', 0, 0))[1]`,
  'mount with the new mount API': `call('fsopen', b'proc', 0)`,
  'clone a mount': `call('open_tree', -100, b'/', 1)`,
  'change the root': `call('pivot_root', b'/', b'/mnt')`,
  'make a device node': `attempt(lambda: os.mknod('/tmp/disk', 0o60600, os.makedev(254, 0)))`,
  'make a device node in its own namespaces': `(nested(), attempt(lambda: os.mknod('/tmp/disk', 0o60600, os.makedev(254, 0))))[1]`,
  'open the memory of the kernel': `attempt(lambda: open('/dev/mem', 'rb'))`,
  'read the kernel through /proc': `attempt(lambda: open('/proc/kcore', 'rb').read(1)[0])`,
  'set the core pattern': `attempt(lambda: open('/proc/sys/kernel/core_pattern', 'w').write('|/bin/sh'))`,
  'use the magic SysRq key': `attempt(lambda: open('/proc/sysrq-trigger', 'w').write('h'))`,
  'write to a cgroup': `attempt(lambda: os.mkdir('/sys/fs/cgroup/escape'))`,
  'join another namespace': `call('setns', os.open('/proc/self/ns/mnt', os.O_RDONLY), 0)`,
  'open a file by its handle': `call('open_by_handle_at', -100, b'\\0' * 64, 0)`,
  'load a module': `call('init_module', b'', 0, b'')`,
  'load another kernel': `call('kexec_load', 0, 0, 0, 0)`,
  'load a program into the kernel': `call('bpf', 0, b'\\0' * 64, 64)`,
  'use performance counters': `call('perf_event_open', b'\\0' * 112, 0, -1, -1, 0)`,
  'reach the keyring': `call('keyctl', 0, -3, 1)`,
  'open an io_uring': `call('io_uring_setup', 1, b'\\0' * 120)`,
  'handle page faults': `call('userfaultfd', 0)`,
  'restart the host': `call('reboot', 0xfee1dead, 672274793, 0, 0)`,
  'set the clock': `call('settimeofday', b'\\0' * 16, 0)`,
  swap: `call('swapon', b'/tmp/swap', 0)`,
  'change a quota': `call('quotactl', 0x800002, b'/dev/loop0', 0, 0)`,
  'turn on process accounting': `call('acct', b'/tmp/acct')`,
  'trace a process outside': `call('ptrace', 16, HOST_PID, 0, 0)`,
  'signal a process outside': `attempt(lambda: os.kill(HOST_PID, 0))`,
  'see a process outside': `attempt(lambda: open('/proc/HOST_PID/cmdline').read())`,
  'read a file of the host': `attempt(lambda: os.listdir('DATA_DIR'))`,
  'reach a port on the host through the loopback': `attempt(lambda: socket.create_connection(('127.0.0.1', HOST_PORT), 1))`,
  'reach a port on the host through the gateway': `attempt(lambda: socket.create_connection(('GATEWAY', HOST_PORT), 1))`,
  'send raw packets': `attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))`,
  'capture the packets of a link': `attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3))`,
  'capture packets in its own namespaces': `(nested(), attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)))[1]`,
  'talk to the packet filter': `(nested(), attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)))[1]`,
  'replace the rules of iptables in its own namespaces': `options(0, 64, 65, 66, 67)`,
  'replace the rules of ip6tables in its own namespaces': `options(41, 64, 65, 68, 69)`,
  'replace the rules of arptables in its own namespaces': `options(0, 96, 97, 98, 99)`,
  'replace the rules of ebtables in its own namespaces': `options(0, 128, 129, 130, 131)`,
  'balance connections with IPVS in its own namespaces': `options(0, *range(1152, 1165))`,
  'talk to the hypervisor': `attempt(lambda: socket.socket(40, socket.SOCK_STREAM))`,
}

describe('a program inside a machine cannot', () => {
  let test: TestEngine
  let engine: LocalEngine
  let machine: Machine
  let other: Machine
  const server = createServer(socket => socket.end('the host'))

  before(async () => {
    test = await testEngine()
    engine = test.open()
    const handles = await Promise.all([engine.create(testSpec()), engine.create(testSpec())])
    machine = await engine.open(handles[0])
    other = await engine.open(handles[1])
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    server.close()
    await engine?.close()
    await test?.dispose()
  })

  const python = async (expression: string, user: string) => {
    const address = server.address()
    const port = address && typeof address === 'object' ? address.port : 0
    const filled = expression
      .replaceAll('HOST_PID', String(process.pid))
      .replaceAll('HOST_PORT', String(port))
      .replaceAll('DATA_DIR', engine.settings.dataDir)
      .replaceAll('GATEWAY', gateway)
    const run = await machine.exec({
      executable: 'python3',
      args: ['-c', `${prelude}\nprint(${filled})`],
      user,
    })
    const [out, errors] = await Promise.all([text(run.stdout), text(run.stderr)])
    return out.trim() || errors.trim()
  }

  for (const [what, expression] of Object.entries(attempts)) {
    it(what, async () => {
      for (const user of ['root', 'user']) {
        const got = await python(expression, user)
        assert.ok(denied.includes(got), `as ${user}: ${got}`)
      }
    })
  }

  it('reach another machine', async () => {
    const listen = 'import socket\ns=socket.create_server(("0.0.0.0",81))\nprint("up",flush=True)\ns.accept()'
    const listening = await other.exec({ executable: 'python3', args: ['-c', listen] })
    await listening.stdout[Symbol.asyncIterator]().next()
    for (const index of [0, 1]) {
      const got = await python(
        `attempt(lambda: socket.create_connection(('${addressOf(index)}', 81), 1))`,
        'user',
      )
      assert.notEqual(got, 'ESCAPED')
    }
    listening.kill()
  })

  it('be root outside, or share its ids with another machine', async () => {
    const uids = await Promise.all(
      [machine, other].map(async ({ handle }) => {
        const init = await findInit(machinePaths(engine.settings, idOf(handle)))
        const status = await readFile(`/proc/${init?.pid}/status`, 'utf8')
        return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
      }),
    )
    for (const uid of uids) assert.ok(uid >= 65536 && uid % 65536 === 0, `root inside is ${uid} outside`)
    assert.notEqual(uids[0], uids[1])
  })

  it('redirect the service to a socket of the host with a symlink', async () => {
    const secret = join(engine.settings.dataDir, 'secret')
    await mkdir(secret)
    const hostSocket = join(secret, 'host.sock')
    const trap = createServer(socket => socket.end('the host'))
    await new Promise<void>(resolve => trap.listen(hostSocket, resolve))
    try {
      const script = `cd /run/sandglass/sockets && mv rfb kept && ln -s ${hostSocket} rfb`
      const swap = await machine.exec({ executable: 'sh', args: ['-c', script], user: 'root' })
      assert.equal((await swap.exited).code, 0)
      await assert.rejects(machine.dial('screen:rfb'), /is not a socket|does not exist/)
      await assert.rejects(machine.dial(`unix:${hostSocket}`))
    } finally {
      trap.close()
    }
  })

  it('redirect the service to a file of the host with a path', async () => {
    const secret = join(engine.settings.dataDir, 'host.txt')
    await symlink('/etc/hostname', secret)
    await assert.rejects(machine.files.read(secret))
    await assert.rejects(machine.files.read(`../../../../../../..${secret}`))
    const link = await machine.exec({ executable: 'ln', args: ['-s', '/proc/1/root/etc/hostname', 'out'] })
    await link.exited
    const read = await machine.files.read('out', { user: 'root' }).then(text, () => '')
    assert.ok(read === '' || read.trim() === idOf(machine.handle))
  })

  it('redirect the service to a file outside its disk with a descriptor', async () => {
    // It replaces the agent, and offers files of the kernel and of the host instead of the requested one.
    const script = `
import json, os, socket
path = '/run/sandglass/sockets/agent'
input()
os.rename(path, path + '.kept')
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen()
print('up', flush=True)
for target in ('/proc/self/status', '/run/sandglass/guest/agent.py', '/etc/passwd'):
    fd, (one, _) = os.open(target, os.O_RDONLY), server.accept()
    lines = one.makefile('rb')
    lines.readline()
    info = dict(name='x', kind='file', size=5 << 20)
    one.sendall(json.dumps(dict(ok=True, info=info, pid=os.getpid(), fd=fd)).encode() + b'\\n')
    if lines.readline():
        one.sendall(b'g' * (5 << 20) + b'.')
    lines.close()
    one.close()
`
    const guest = await machine.exec({ executable: 'python3', args: ['-c', script], user: 'root' })
    // Not before the call that starts it is complete, which goes through the agent.
    guest.stdin.write('\n')
    await guest.stdout[Symbol.asyncIterator]().next()
    for (let times = 0; times < 2; times++)
      assert.ok((await buffer(await machine.files.read('any'))).equals(Buffer.alloc(5 << 20, 'g')))
    // It may offer any file of its own disk: this one is shorter than announced.
    await assert.rejects(machine.files.read('any').then(buffer), { code: 'STATE' })
  })
})

/** Socket options that programs use, among them those with numbers close to the packet filter's. */
const ordinaryOptions = `
import socket
one, six = socket.socket(socket.AF_INET), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
one.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 9)
six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
for option in (socket.IPV6_DONTFRAG, socket.IPV6_RECVTCLASS, socket.IPV6_TCLASS):
    six.setsockopt(socket.IPPROTO_IPV6, option, 1)
print(one.getsockopt(socket.IPPROTO_IP, socket.IP_TTL), six.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS))
`

describe('a program inside a machine can', () => {
  it('become root with sudo, and use administrative tools and socket options', async () => {
    const test = await testEngine()
    const engine = test.open()
    try {
      const machine = await engine.open(await engine.create(testSpec()))
      const script =
        'id -u && touch /etc/mine && chown daemon /etc/mine && su daemon -s /bin/sh -c "id -un" && stat -c %U /etc/mine'
      const run = await machine.exec({ executable: 'sudo', args: ['sh', '-c', script] })
      assert.equal(await text(run.stdout), '0\ndaemon\ndaemon\n')
      const options = await machine.exec({ executable: 'python3', args: ['-c', ordinaryOptions] })
      assert.equal(await text(options.stdout), '9 1\n', await text(options.stderr))
    } finally {
      await engine.close()
      await test.dispose()
    }
  })
})
