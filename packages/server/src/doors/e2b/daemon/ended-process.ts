import { Readable, Writable } from 'node:stream'
import type { MachineProcess } from '@sandglass/machines/contract'

/** Linux gives no process an id as large as this. */
const firstPid = 2 ** 22
let count = 0

/**
 * Returns what stands for a program whose work the service has done itself: one that printed nothing and succeeded. No process has
 * its id, so that nobody reaches another one by it.
 */
export function endedProcess(): MachineProcess {
  count = (count + 1) % 1_000_000
  return {
    pid: firstPid + count,
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    exited: Promise.resolve({ code: 0 }),
    gone: Promise.resolve(),
    kill: () => {},
    resize: () => {},
    release: () => {},
  }
}
