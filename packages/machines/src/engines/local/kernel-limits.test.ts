import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Machine } from '../../contract/machine.ts'
import { idOf } from './handle.ts'
import { runCommand } from './host/run-command.ts'
import type { LocalEngine } from './local-engine.ts'
import { machinePaths } from './machine-paths.ts'
import { findInit } from './oci/init-process.ts'
import { maxTerminals, namespaceLimits } from './oci/kernel-limits.ts'
import { unmountBelow } from './rootfs/mounts.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'

/** Takes as much as it can get as eight users, because the kernel counts for each user, and holds it. */
const greedy = `
import ctypes, os, signal
libc = ctypes.CDLL(None)
def many(one, most):
    count = 0
    while count < most and one(count) >= 0: count += 1
    return count
def watches():
    fd = libc.inotify_init1(0)
    return many(lambda i: libc.inotify_add_watch(fd, b'/dev/shm/many/%d' % i, 2), 10000)
def networks():
    libc.unshare(0x10000000)
    return many(lambda i: libc.unshare(0x40000000) or os.open('/proc/self/ns/net', os.O_RDONLY), 40)
def terminal(i):
    try: return os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY)
    except OSError: return -1
os.mkdir('/dev/shm/many')
for i in range(10000): os.close(os.open('/dev/shm/many/%d' % i, os.O_CREAT))
for work in (watches, networks, lambda: many(terminal, 100), lambda: many(lambda i: libc.inotify_init1(0), 150)):
    total = 0
    for uid in range(2000, 2008):
        out, into = os.pipe()
        if not os.fork():
            os.setuid(uid)
            os.write(into, str(work()).encode())
            signal.pause()
        os.close(into)
        total += int(os.read(out, 32))
    print(total, flush=True)
signal.pause()
`

/** Takes one of each. */
const modest = `
import ctypes, os
libc = ctypes.CDLL(None)
os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY)
fd = libc.inotify_init1(0)
print(libc.inotify_add_watch(fd, b'/etc', 2), libc.unshare(0x10000000 | 0x40000000))
`

describe('a machine that takes all it can get from the kernel', () => {
  let test: TestEngine
  let engine: LocalEngine
  let machine: Machine

  before(async () => {
    test = await testEngine()
    engine = test.open()
    machine = await engine.open(await engine.create(testSpec()))
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  it('reaches its own limits, and leaves the rest to the host and to other machines', async () => {
    const taking = await machine.exec({ executable: 'python3', args: ['-c', greedy], user: 'root' })
    let read = ''
    for await (const chunk of taking.stdout) {
      read += chunk
      if (read.split('\n').length > 4) break
    }
    const [watches = 0, networks = 0, terminals = 0, instances = 0] = read.trim().split('\n').map(Number)
    const { max_inotify_watches, max_net_namespaces, max_inotify_instances } = namespaceLimits
    assert.ok(watches > 0 && watches <= max_inotify_watches, `${watches} watches`)
    assert.ok(networks > 0 && networks <= max_net_namespaces, `${networks} network namespaces`)
    assert.ok(terminals > 0 && terminals <= maxTerminals, `${terminals} terminals`)
    assert.ok(instances > 0 && instances <= max_inotify_instances, `${instances} inotify instances`)

    const inotifyInit1 = process.arch === 'arm64' ? 26 : 294
    await runCommand('perl', ['-e', `exit(syscall(${inotifyInit1}, 0) < 0)`])
    const neighbour = await engine.open(await engine.create(testSpec()))
    const run = await neighbour.exec({ executable: 'python3', args: ['-c', modest] })
    assert.equal(await text(run.stdout), '1 0\n', await text(run.stderr))
  })

  it('has limits after a restart even if an earlier version of the service created it', async () => {
    machine.close()
    const { userNamespace, sockets } = machinePaths(engine.settings, idOf(machine.handle))
    for (const path of [userNamespace, sockets]) await unmountBelow(path)
    await engine.restart(machine.handle)
    machine = await engine.open(machine.handle)
    const run = await machine.exec({ executable: 'python3', args: ['-c', modest] })
    assert.equal(await text(run.stdout), '1 0\n', await text(run.stderr))
    const init = await findInit(machinePaths(engine.settings, idOf(machine.handle)))
    const [joined, created] = await Promise.all([stat(`/proc/${init?.pid}/ns/user`), stat(userNamespace)])
    assert.equal(joined.ino, created.ino)
  })
})
