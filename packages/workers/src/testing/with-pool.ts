import type { Engine } from '@sandglass/machines/contract'
import { WorkerPool } from '../pool/worker-pool.ts'
import { overlay } from './overlay.ts'
import { workersHere } from './workers-here.ts'

/**
 * An engine whose machines are open in workers as the front has them, except for the screen: the front never has pixels, so
 * that is of a machine that is open here.
 */
export function withPool(engine: Engine): Engine {
  const workers = new WorkerPool({ host: workersHere(handle => engine.open(handle)) })
  return overlay(engine, {
    close: async () => {
      await workers.close()
      await engine.close()
    },
    open: async handle => {
      const running = await workers.open(engine, handle, 'a tenant')
      const machine = await engine.open(handle).catch(error => {
        running.close()
        throw error
      })
      const { screenSize, guest, files, died } = running
      return overlay(machine, {
        screenSize,
        guest,
        files,
        died,
        exec: spec => running.exec(spec),
        dial: (endpoint, options) => running.dial(endpoint, options),
        close: () => {
          running.close()
          machine.close()
        },
      })
    },
  })
}
