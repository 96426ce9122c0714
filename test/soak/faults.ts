import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { descendantsOf, frontOf, workersOf } from '../support/host-processes.ts'
import type { SoakedService } from './soaked-service.ts'

interface SoakFault {
  readonly name: string
  /** The processes that are killed. */
  find(service: SoakedService): Promise<number[]>
}

const postmasterOf = async ({ pid }: SoakedService) => {
  const postgres = (await descendantsOf(pid)).filter(({ name }) => name === 'postgres')
  return postgres
    .filter(({ parent }) => !postgres.some(other => other.pid === parent))
    .map(process => process.pid)
}

/** Add a fault by adding one entry. What each of them costs callers is measured by `npm run faults`. */
const faults: readonly SoakFault[] = [
  { name: 'a worker', find: async ({ pid }) => (await talkingWorkers(pid)).slice(0, 1) },
  { name: 'the front', find: async ({ pid }) => [await frontOf(pid)] },
  { name: 'the host process', find: async ({ pid }) => [pid] },
  { name: 'the database', find: postmasterOf },
]

/** Those that only read the file of a worker that has ended talk to no machine. */
async function talkingWorkers(pid: number): Promise<number[]> {
  const found: number[] = []
  for (const worker of await workersOf(pid)) {
    const command = await readFile(`/proc/${worker}/cmdline`, 'utf8').catch(() => '')
    if (!command.includes('--old-file')) found.push(worker)
  }
  return found
}

async function isReady({ credentials: { url } }: SoakedService): Promise<boolean> {
  return await fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** A process that has just ended by itself needs no fault. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** How long callers may see a fault after it has happened, and again after the service is ready: their calls began before. */
export const settlingMs = 45_000
/** A service that is not ready by then has not recovered. How soon it recovers is measured by `npm run faults`. */
const recoveryMs = 300_000

/** Kills processes of the service at random moments. */
export class Faults {
  /** How often each was injected. */
  readonly injected = new Map<string, number>()
  #mayFailUntil = 0

  /** Whether callers may see a fault now. */
  get isUnderWay(): boolean {
    return performance.now() < this.#mayFailUntil
  }

  /** Injects every fault in turn, a random time apart, until the signal is aborted. */
  async inject(service: SoakedService, everyMs: number, random: () => number, signal: AbortSignal) {
    for (let at = Math.floor(random() * faults.length); !signal.aborted; at++) {
      await pause(everyMs * (0.5 + random()), undefined, { signal }).catch(() => {})
      const fault = faults[at % faults.length]
      if (signal.aborted || !fault) return
      const pids = await fault.find(service)
      this.#mayFailUntil = performance.now() + settlingMs
      for (const pid of pids) kill(pid)
      await this.#recovered(service, signal)
      this.injected.set(fault.name, (this.injected.get(fault.name) ?? 0) + 1)
    }
  }

  /** Resolves when the service is ready. Another fault before that would be more than is promised. */
  async #recovered(service: SoakedService, signal: AbortSignal): Promise<void> {
    const end = performance.now() + recoveryMs
    // What was killed may still answer, and needs a moment to be missed.
    await pause(5000)
    while (!signal.aborted && performance.now() < end && !(await isReady(service))) {
      this.#mayFailUntil = performance.now() + settlingMs
      await pause(1000)
    }
  }
}
