import type { Machine, MachineHandle } from '@sandglass/machines/contract'
import type { WorkerHost } from '../contract/worker-host.ts'
import { RawFile } from '../raw/raw-file.ts'
import type { OpenRawFile, RawFolder } from '../raw/raw-folder.ts'
import { MachineWorker, type WorkerFile } from '../worker/machine-worker.ts'
import { readablePair } from './readable-pair.ts'

/**
 * Workers that run in the process of the test. Everything crosses as it does between processes. Frames wait in files of the
 * folder, if there is one.
 */
export function workersHere(
  open: (handle: MachineHandle) => Promise<Machine>,
  folder?: RawFolder,
): WorkerHost {
  return {
    async keepFiles(files) {
      await folder?.keep(files)
    },
    async start(oldFile) {
      const [front, back] = await readablePair()
      const file = folder?.open(oldFile)
      const worker = new MachineWorker(back, open, file && workerFileOf(file))
      void worker.ended.then(() => {
        if (!file) return
        folder?.close(file)
        folder?.ended(file.name)
      })
      return {
        file: file?.name,
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

function workerFileOf({ name, descriptor, isOld }: OpenRawFile): WorkerFile {
  return { file: new RawFile(descriptor, { name }), isOld }
}
