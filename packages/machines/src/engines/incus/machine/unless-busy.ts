import { setTimeout as pause } from 'node:timers/promises'
import { Backoff } from '@sandglass/supervision'
import { MachineError } from '../../../contract/errors.ts'
import type { IncusClient } from '../client/index.ts'

const patienceMs = 30_000
/** Members that are gone delay the answer, and the machine may be free by then. */
const askDeadlineMs = 2000

/** Repeats what Incus refuses while another operation on the instance is under way, when that has ended. */
export async function unlessBusy<Result>(
  client: IncusClient,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const untilMs = performance.now() + patienceMs
  const backoff = new Backoff({ maxMs: 1000 })
  for (;;)
    try {
      return await work()
    } catch (error) {
      const leftMs = untilMs - performance.now()
      if (!(error instanceof MachineError && error.code === 'STATE') || leftMs <= 0) throw error
      const operations = await client.operationsOn(name, { deadlineMs: askDeadlineMs }).catch(() => [])
      await Promise.all(operations.map(one => client.end(one, { deadlineMs: leftMs }).catch(() => {})))
      // Incus does not list everything that keeps an instance busy.
      backoff.failed()
      if (operations.length === 0) await pause(backoff.delayMs)
    }
}
