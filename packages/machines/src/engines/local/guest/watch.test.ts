import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { MachineError } from '../../../contract/errors.ts'
import { testAgent } from './test-agent.ts'
import { watchMachine } from './watch.ts'

/** An agent that answers a watch, and keeps its connections. */
function watched() {
  const sockets: Socket[] = []
  const serve = (socket: Socket) => {
    sockets.push(socket)
    once(socket, 'data').then(() => socket.write('{"ok":true}\n'))
  }
  return { sockets, serve }
}

test('the end of a machine that nobody knows any more is an end, and not a failure of who watches it', async t => {
  const { sockets, serve } = watched()
  const guest = await testAgent(t, serve)
  const forgotten = new MachineError('MACHINE_FAILED', 'the machine has ended, or belongs to another worker')
  const watch = await watchMachine({ ...guest, ending: () => Promise.reject(forgotten) })
  for (const socket of sockets) socket.destroy()
  const { reason, orderly } = await watch.died
  assert.deepEqual([reason, orderly], ['the machine has ended, or belongs to somebody else now', false])
})

test('a machine that was shut down from inside ended in order', async t => {
  const { sockets, serve } = watched()
  const watch = await watchMachine(await testAgent(t, serve))
  sockets[0]?.write('{"ending": true}\n')
  assert.equal((await watch.died).orderly, true)
})
