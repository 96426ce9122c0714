import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { output } from '../../contract/conformance/running.ts'
import type { Machine } from '../../contract/machine.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { leftovers } from '../local/test-leftovers.ts'
import type { QemuEngine } from './qemu-engine.ts'
import { type TestVms, testVms, vmSpec } from './test-engine.ts'
import { takenOver } from './test-taken-over.ts'

/** Listens on a socket of the machine, and calls a function with each connection in a thread of its own. */
const listen = `
import socket, threading, time
def listen(path, serve):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + '.new')
    listener.listen(64)
    os.rename(path + '.new', path)
    def run(connection):
        try: serve(connection)
        except OSError: pass
    def accept():
        while True: threading.Thread(target=run, args=[listener.accept()[0]], daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
def flood(content):
    def serve(connection):
        while True: connection.sendall(content)
    return serve
def answer(connection):
    connection.recv(65536)
    connection.sendall(b'{"ok": true}\\n')
    time.sleep(1000)
sockets, wait = '/run/sandglass/sockets/', threading.Event().wait
`

/** What the service holds in memory while a machine sends without end, at most, beyond what it had. */
const maxGrowth = 256 * 1024 * 1024

describe('a virtual machine that attacks the service', () => {
  let test: TestVms
  let engine: QemuEngine
  let neighbour: Machine
  let rss: number

  before(async () => {
    test = await testVms()
    engine = test.open()
    neighbour = await engine.open(await engine.create(vmSpec()))
    rss = process.memoryUsage.rss()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  const neighbourWorks = async () => {
    assert.equal((await output(neighbour, { executable: 'echo', args: ['here'] })).stdout, 'here\n')
    assert.ok(process.memoryUsage.rss() < rss + maxGrowth, 'the service has not grown')
  }
  /** How the creation fails in whose container the program runs. */
  const failureOf = async (program: string, origin: 'template' | 'boot' = 'template') =>
    await takenOver(engine, listen + program, ({ failure }) => failure, { origin })

  const control: Readonly<Record<string, readonly [serve: string, failure: RegExp]>> = {
    'sends events without end': [
      `flood(b'{"event": "STOP", "data": {}}\\n' * 1000)`,
      /more than it was asked for/,
    ],
    'sends a line without end': [`flood(b'x' * 65536)`, /more than it was asked for/],
    'sends deep nests': [`flood(b'[' * 65535 + b'\\n')`, /more than it was asked for/],
    'closes at once': ['lambda connection: connection.close()', /QEMU has ended/],
    'answers nonsense': [`flood(b'null\\n0\\n"x"\\n{"id": 1, "error": null}\\n')`, /QEMU refused: undefined/],
  }
  for (const [what, [serve, failure]] of Object.entries(control)) {
    it(`fails alone if its control socket ${what}`, async () => {
      const { message } = await failureOf(`listen(sockets + 'qmp', ${serve})\nwait()`)
      assert.match(message, failure)
      await neighbourWorks()
    })
  }

  it('cannot delay an abort by never answering', async () => {
    const program = `listen(sockets + 'qmp', lambda connection: (connection.recv(1), report('asked'), wait()))\nwait()`
    const failure = await takenOver(engine, listen + program, async ({ reported, abort, failure }) => {
      assert.equal(await reported(), 'asked')
      abort()
      return await failure
    })
    assert.equal(failure.name, 'AbortError')
  })

  it('cannot make the service print a file of the host', async () => {
    const secret = join(engine.settings.dataDir, 'secret')
    await writeFile(secret, 'a secret of the host')
    for (const target of [secret, '/dev/zero']) {
      const { message } = await failureOf(`os.symlink('${target}', sockets + 'qemu.log')`)
      assert.match(message, /QEMU ended while the machine started: it printed no reason/)
    }
    const { message } = await failureOf(`os.mkfifo(sockets + 'qemu.log')`)
    assert.match(message, /it printed no reason/)
    const long = await failureOf(`open(sockets + 'qemu.log', 'w').write('x' * 200000 + 'the reason')`)
    assert.match(long.message, /x{100}the reason$/)
    assert.ok(long.message.length < 1000)
  })

  it('fails alone if its agent sends without end, or its display does', async () => {
    const agent = await failureOf(`listen(sockets + 'agent', flood(b'x' * 65536))\nwait()`, 'boot')
    assert.match(agent.message, /too long|larger|more than|bytes/)
    const display = `listen(sockets + 'agent', answer)
listen('/run/sandglass/x11/X0', flood(b'\\0' * 65536))
wait()`
    const { message } = await failureOf(display, 'boot')
    assert.notEqual(message, 'it was created')
    await neighbourWorks()
  })

  it('works again after its root flooded the channel to the host with garbage', async () => {
    const handle = await engine.create(vmSpec())
    const machine = await engine.open(handle)
    const flood = `
import glob, os, signal, subprocess, time
[port] = ['/dev/' + path.split('/')[-2] for path in glob.glob('/sys/class/virtio-ports/*/name') if 'channel' in open(path).read()]
chunk, fd, count = os.urandom(32768), None, 0
print('begins', flush=True)
while fd is None:
    subprocess.run(['pkill', '-KILL', '-f', '[c]hannel.py'])
    try: fd = os.open(port, os.O_WRONLY)
    except OSError: pass
end = time.monotonic() + 5
while time.monotonic() < end or count <= 1 << 20: count += os.write(fd, chunk)
os.close(fd)
open('/flooded.part', 'w').write(str(count))
os.rename('/flooded.part', '/flooded')
`
    const run = await machine.exec({
      executable: 'python3',
      args: ['-c', flood],
      user: 'root',
      detached: true,
    })
    await run.stdout[Symbol.asyncIterator]().next()
    const { reason } = await machine.died
    assert.match(reason, /no longer answers/)
    await neighbourWorks()
    assert.equal((await engine.inspect(handle)).status, 'running')
    let flooded = ''
    await waitFor(async () => {
      const again = await engine.open(handle).catch(() => undefined)
      flooded =
        (again &&
          (await output(again, { executable: 'cat', args: ['/flooded'] }).catch(() => undefined))?.stdout) ??
        ''
      again?.close()
      return flooded !== ''
    })
    assert.ok(Number(flooded) > 1024 * 1024, `${flooded} bytes`)
    await engine.destroy(handle)
  })

  it('leaves nothing behind', async () => {
    await engine.destroy(neighbour.handle)
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})
