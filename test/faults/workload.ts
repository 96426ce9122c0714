import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import type { Job } from './jobs/job.ts'

/** The pause between two runs of a job, so that the box is busy with faults and not with the workload. */
const usualPauseMs = 50

/** Jobs, each repeated continuously and concurrently with the others. */
export class Workload {
  readonly jobs: readonly Job[]
  /** How many responses each job got, and how many of them were successes. */
  readonly #answered = new Map<Job, number>()
  readonly #succeeded = new Map<Job, number>()
  readonly #pauseMs: number
  #stop: AbortController | undefined
  #running: Promise<unknown> = Promise.resolve()
  #falsehood: unknown

  constructor(jobs: readonly Job[], pauseMs = usualPauseMs) {
    this.jobs = jobs
    this.#pauseMs = pauseMs
  }

  start(): void {
    const stop = new AbortController()
    this.#stop = stop
    this.#falsehood = undefined
    this.#running = Promise.all(this.jobs.map(job => this.#repeat(job, stop.signal)))
  }

  /** Resolves when every call in progress has a response; rejects if a response was wrong. */
  async stop(): Promise<void> {
    this.#stop?.abort()
    await this.#running
    if (this.#falsehood) throw this.#falsehood
  }

  /** Waits until each job got a response to a call that began after this one. */
  answeredAnew(timeoutMs?: number): Promise<void> {
    return this.#oftener(this.#answered, 2, timeoutMs)
  }

  /** Waits until each job has succeeded this many more times. */
  succeededAnew(times: number): Promise<void> {
    return this.#oftener(this.#succeeded, times)
  }

  #oftener(counts: Map<Job, number>, times: number, timeoutMs?: number): Promise<void> {
    const before = new Map(counts)
    const isDone = (job: Job) => (counts.get(job) ?? 0) >= (before.get(job) ?? 0) + times
    return waitFor(() => this.#falsehood !== undefined || this.jobs.every(isDone), timeoutMs).catch(cause => {
      const late = this.jobs.filter(job => !isDone(job)).map(({ name }) => name)
      throw new Error(`there was no new result of ${late.join(', ')}`, { cause })
    })
  }

  async #repeat(job: Job, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await job.step()) count(this.#succeeded, job)
      } catch (error) {
        this.#falsehood ??= error
        return
      }
      count(this.#answered, job)
      await pause(this.#pauseMs)
    }
  }
}

function count(counts: Map<Job, number>, job: Job): void {
  counts.set(job, (counts.get(job) ?? 0) + 1)
}
