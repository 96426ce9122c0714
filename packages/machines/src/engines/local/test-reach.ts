import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import type { Machine } from '../../contract/machine.ts'
import { patienceMs } from '../../testing/wait-for.ts'

/**
 * Tries all targets at once and prints those that answered. It waits a while after all expected targets have
 * answered, because an unexpected one might just be slower.
 */
const probe = `
import os, socket, sys, threading, time
expected, targets = set(sys.argv[1].split()), sys.argv[2:]
greeted, lock = set(), threading.Condition()
def reach(target):
    host, port = target.rsplit(':', 1)
    try:
        with socket.create_connection((host, int(port)), timeout=${patienceMs / 1000}) as s:
            if s.recv(5) != b'hello': return
    except OSError: return
    with lock:
        greeted.add(target)
        lock.notify()
for target in targets: threading.Thread(target=reach, args=[target], daemon=True).start()
with lock: lock.wait_for(lambda: expected <= greeted, ${patienceMs / 1000})
time.sleep(1.5)
print(*[target for target in targets if target in greeted], flush=True)
os._exit(0)
`

/** Asserts that exactly the expected targets are reachable from a machine. */
export async function reaches(
  machine: Machine,
  targets: readonly string[],
  expected: readonly string[],
): Promise<void> {
  const args = ['-c', probe, expected.join(' '), ...targets]
  const { stdout } = await machine.exec({ executable: 'python3', args })
  assert.deepEqual((await text(stdout)).trim().split(' ').filter(Boolean), expected)
}
