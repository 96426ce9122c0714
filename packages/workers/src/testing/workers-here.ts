import type { Machine, MachineHandle } from '@sandglass/machines/contract'
import type { WorkerHost } from '../contract/worker-host.ts'
import { MachineWorker } from '../worker/machine-worker.ts'
import { readablePair } from './readable-pair.ts'

/** Workers that run in the process of the test. Everything crosses as it does between processes. */
export function workersHere(open: (handle: MachineHandle) => Promise<Machine>): WorkerHost {
  return {
    async start() {
      const [front, back] = await readablePair()
      const worker = new MachineWorker(back, open)
      return {
        // There is no process of its own, whose state could be looked at.
        pid: 0,
        link: front,
        admit: async () => {},
        dismiss: () => {},
        kill: () => worker.close(),
      }
    },
  }
}
