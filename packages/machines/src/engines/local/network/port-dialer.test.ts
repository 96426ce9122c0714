import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { startTimeOf } from '../oci/init-process.ts'
import { PortDialer } from './port-dialer.ts'

/** The size of Node's reads. After a full read, Node reads again immediately. */
const wholeRead = 64 * 1024

/** An echo server, this process in place of a machine, and a dialer whose process ids are known. */
async function world() {
  const server = createServer(socket => socket.pipe(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const own = { pid: process.pid, startTime: (await startTimeOf(process.pid)) ?? '' }
  const dialer = new PortDialer()
  const dial = async () => {
    const socket = await dialer.dial(own, '127.0.0.1', port)
    socket.write('hello')
    const [answer] = await once(socket, 'data')
    socket.destroy()
    return String(answer)
  }
  const close = () => {
    dialer.close()
    server.close()
  }
  return { dial, close, pids: () => childrenNamed('perl') }
}

async function childrenNamed(name: string): Promise<number[]> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
  const pids = children.trim().split(' ').filter(Boolean).map(Number)
  const names = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')))
  return pids.filter((_, at) => names[at]?.trim() === name)
}

for (const [what, signal] of [
  ['was killed', 'SIGKILL'],
  ['hangs', 'SIGSTOP'],
] as const)
  test(`a dialer that ${what} is replaced without an error for its callers`, async () => {
    const { dial, close, pids } = await world()
    try {
      assert.equal(await dial(), 'hello')
      const [first] = await pids()
      assert.ok(first)
      process.kill(first, signal)
      assert.deepEqual(await Promise.all([dial(), dial(), dial()]), ['hello', 'hello', 'hello'])
      await waitFor(async () => !(await pids()).includes(first))
    } finally {
      close()
    }
  })

test('a program that sends exactly one read buffer and then waits does not block the service', async () => {
  const server = createServer(socket => {
    socket.write(Buffer.alloc(wholeRead))
    socket.once('data', () => socket.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const dialer = new PortDialer()
  const { port } = server.address() as AddressInfo
  const own = { pid: process.pid, startTime: (await startTimeOf(process.pid)) ?? '' }
  const socket = await dialer.dial(own, '127.0.0.1', port)
  let size = 0
  socket.on('data', chunk => {
    size += chunk.length
    if (size === wholeRead) setImmediate(() => socket.end('that is all'))
  })
  await once(socket, 'end')
  assert.equal(size, wholeRead)
  dialer.close()
  server.close()
})
