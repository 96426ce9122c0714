import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, before, describe, it } from 'node:test'
import { output } from '../../contract/conformance/running.ts'
import type { Machine } from '../../contract/machine.ts'
import { cgroupLayout, groupOf, outOfMemoryKills } from '../local/oci/cgroups.ts'
import { leftovers } from '../local/test-leftovers.ts'
import { idOf } from './handle.ts'
import type { QemuEngine } from './qemu-engine.ts'
import { type TestVms, testVms, vmSpec } from './test-engine.ts'
import { attempts, denied, escapePrelude } from './test-escapes.ts'
import { takenOver } from './test-taken-over.ts'

describe('QEMU that its guest has taken over', () => {
  let test: TestVms
  let engine: QemuEngine
  let neighbour: Machine
  const server = createServer(socket => socket.end('the host'))

  before(async () => {
    test = await testVms()
    engine = test.open()
    neighbour = await engine.open(await engine.create(vmSpec({ cpus: 0.5 })))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    server.close()
    await engine?.close()
    await test?.dispose()
  })

  const filled = (program: string) => {
    const address = server.address()
    return program
      .replaceAll('HOST_PID', String(process.pid))
      .replaceAll('HOST_PORT', String(address && typeof address === 'object' ? address.port : 0))
      .replaceAll('DATA_DIR', engine.settings.dataDir)
      .replaceAll('IMAGES_DIR', engine.settings.imagesDir)
  }
  const digestOf = async (path: string) => {
    const hash = createHash('sha256')
    await pipeline(createReadStream(path, { end: (4 << 20) - 1 }), hash)
    return hash.digest('hex')
  }

  it('cannot do what the guest may not', async t => {
    const memory = (await engine.memory.find(vmSpec()))?.origin.memory ?? assert.fail('there is no template')
    const before = await digestOf(memory)
    const tried = Object.entries(attempts).map(([what, expression]) => {
      return `tried[${JSON.stringify(what)}] = ${expression}`
    })
    const program = filled(
      `${escapePrelude}\ntried = {}\n${tried.join('\n')}\nreport(tried)\nthreading.Event().wait()\n`,
    )
    const got = await takenOver(engine, program, ({ reported }) => reported())
    const results = Object.entries(Object(got) as Record<string, string>)
    assert.equal(results.length, Object.keys(attempts).length)
    for (const [what, result] of results) await t.test(what, () => assert.ok(denied.includes(result), result))
    assert.equal(await digestOf(memory), before)
  })

  it('has nothing but its own files, and no rights', async () => {
    const look = `
import threading
status = dict(line.split(':\\t', 1) for line in open('/proc/self/status').read().strip().split('\\n') if ':\\t' in line)
report(dict(root=sorted(os.listdir('/')), dev=sorted(os.listdir('/dev')), run=sorted(os.listdir('/run/sandglass')),
  disk=open('/vm/disk').read(), memory=open('/vm/memory').read(), fds=sorted(int(fd) for fd in os.listdir('/proc/self/fd')),
  links=sorted(line.split(':')[0].strip() for line in open('/proc/self/net/dev').read().strip().split('\\n')[2:]),
  processes=sum(name.isdigit() for name in os.listdir('/proc')),
  **{name: status[name].strip() for name in ('CapEff', 'CapPrm', 'CapBnd', 'CapInh', 'NoNewPrivs', 'Seccomp')}))
threading.Event().wait()
`
    const none = '0000000000000000'
    const seen = Object(await takenOver(engine, look, ({ reported }) => reported()))
    const expected = {
      root: ['bin', 'dev', 'lib', 'lib64', 'proc', 'run', 'sbin', 'tmp', 'usr', 'vm'],
      run: ['relay', 'sockets', 'x11'],
      disk: 'the disk of this machine',
      memory: '',
      links: ['bridge', 'eth0', 'lo', 'tap0'],
      processes: 1,
      CapEff: none,
      CapPrm: none,
      CapBnd: none,
      CapInh: none,
      NoNewPrivs: '1',
      Seccomp: '2',
    }
    const { dev, fds, ...rest } = seen
    assert.deepEqual(rest, expected)
    const harmless = /^(core|fd|full|null|ptmx|pts|random|shm|stderr|stdin|stdout|tty|urandom|zero|mqueue)$/
    for (const name of dev) assert.match(name, harmless)
    // The last is that of the folder itself. Between are the network and the memory.
    assert.deepEqual(fds.slice(0, 5), [0, 1, 2, 3, 4])
    assert.ok(fds.length <= 6, fds.join())
  })

  it('gets no more memory than its guest has and what QEMU needs', async () => {
    const hog = `
import threading
reader, writer = os.pipe()
child = os.fork()
if not child:
    held = []
    while True:
        held.append(bytearray(b'x' * (1 << 24)))
        os.write(writer, b'.')
os.close(writer)
_, status = os.waitpid(child, 0)
report([len(os.read(reader, 65536)) * 16, os.WTERMSIG(status)])
threading.Event().wait()
`
    const memoryMiB = 512
    const [mib, signal] = Object(await takenOver(engine, hog, ({ reported }) => reported(), { memoryMiB }))
    assert.ok(mib > memoryMiB && mib < memoryMiB + 300, `${mib} MiB`)
    assert.equal(signal, 9)
    await neighbourWorks()
  })

  it('gets no more tasks than a few hundred', async () => {
    const threads = `
import threading
stop, count = threading.Event(), 0
try:
    while count < 5000:
        threading.Thread(target=stop.wait, daemon=True).start()
        count += 1
except RuntimeError: pass
report(count)
stop.wait()
`
    const count = Number(await takenOver(engine, threads, ({ reported }) => reported()))
    assert.ok(count > 50 && count < 300, `${count} threads`)
  })

  it('gets as much of the processor as its machine has', async () => {
    const { roots, kind } = cgroupLayout()
    const folder = join(roots.cpu ?? '', groupOf(engine.settings.instance, idOf(neighbour.handle)))
    const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim()
    const names = ['cpu.cfs_quota_us', 'cpu.cfs_period_us']
    const [quota, period] =
      kind === 'v2' ? (await read('cpu.max')).split(' ') : await Promise.all(names.map(read))
    assert.equal(Number(quota) / Number(period), 0.5)
  })

  it('stays within its limits with a guest that uses all of its memory', async () => {
    const hog = 'b=[]\nwhile 1: b.append(bytearray(b"x" * (1<<24)))'
    const { code } = await output(neighbour, { executable: 'python3', args: ['-c', hog] })
    assert.equal(code, 137)
    await neighbourWorks()
    const group = groupOf(engine.settings.instance, idOf(neighbour.handle))
    assert.equal(await outOfMemoryKills(cgroupLayout(), group), 0)
  })

  it('leaves nothing behind', async () => {
    await engine.destroy(neighbour.handle)
    assert.deepEqual(await leftovers(engine.settings), [])
  })

  const neighbourWorks = async () => {
    assert.equal((await output(neighbour, { executable: 'echo', args: ['here'] })).stdout, 'here\n')
  }
})
