import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../host/run-command.ts'

const guest = join(import.meta.dirname, '../../../../guest')

/** Of two descriptors that are ready at once, the first closes the second and opens another, which gets its number. */
const program = `
import os, socket, sys
sys.path.insert(0, sys.argv[1])
from loop import READ, Loop

loop, seen, kept = Loop(), [], []
first, waker = socket.socketpair()
second, peer = socket.socketpair()

def replace(events):
    loop.forget(first.fileno())
    number = second.fileno()
    loop.close(second.detach())
    kept.extend(socket.socketpair())
    assert kept[0].fileno() == number
    loop.watch(number, READ, received)
    loop.after(0, lambda: kept[1].send(b'for the new one'))

def received(events):
    seen.append(events)
    if events == READ:
        print(seen, flush=True)
        os._exit(0)

loop.watch(first.fileno(), READ, replace)
loop.watch(second.fileno(), READ, lambda events: seen.append('the old one'))
waker.send(b'now')
peer.close()
loop.run()
`

test('an event of a descriptor that was closed does not reach the next one with its number', async () => {
  const printed = await runCommand('python3', ['-ISB', '-c', program, guest])
  const readable = 1
  assert.deepEqual(JSON.parse(printed), [readable])
})
