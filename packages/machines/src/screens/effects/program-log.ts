import type { MachineActivity } from '../../contract/activity.ts'
import type { Clock } from '../clock.ts'

interface Sample extends MachineActivity {
  readonly atMs: number
}

/** Shares of one processor. A desktop at rest with a few programs uses less than the first. */
const workingShare = 0.12
/** A program that starts waits for the disk more than it computes. */
const startingShare = 0.02
/** By how much the load varies that was there before. */
const variation = 1.25

/** A rate over a shorter time says little. */
const minBaselineMs = 200
const minStepMs = 15

/** The kernel counts stolen time roughly. */
const minRunShare = 0.2

/** With a load like that before the action, it does not show what the action causes. */
const hidingShare = 0.5

/** What the programs of a machine have done since an action began, compared with what they did before. */
export class ProgramLog {
  readonly #ask: () => Promise<MachineActivity | undefined>
  readonly #clock: Clock
  #first: Promise<Sample | undefined> | undefined
  #before = new Set<number>()
  #seen = new Set<number>()
  #previous: Sample | undefined
  /** The last sample of the last wait. */
  #last: Sample | undefined
  #baseline: number | undefined
  #share = 0
  /** The samples since the action began. */
  #samples: Sample[] = []
  /** When they worked last, for whatever reason. */
  workedAtMs = Number.NEGATIVE_INFINITY
  /** When they worked last more than before the action. */
  busyAtMs = Number.NEGATIVE_INFINITY
  /** When one was started last. */
  startedAtMs = Number.NEGATIVE_INFINITY
  /** Whether one runs that was started since the action began. */
  hasNew = false
  /** The largest load of the host since the action began. */
  hostLoad = 0

  constructor(ask: () => Promise<MachineActivity | undefined>, clock: Clock) {
    this.#ask = ask
    this.#clock = clock
  }

  /** Takes the first sample, and does not wait for it. */
  begin(): void {
    this.#first = this.#sample()
  }

  /** Resolves when the first sample is there. */
  async begun(): Promise<void> {
    const first = await this.#first
    const last = this.#last
    this.#previous = first
    this.#samples = first ? [first] : []
    this.#before = new Set(first?.processes)
    this.#seen = new Set(first?.processes)
    this.workedAtMs = this.busyAtMs = this.startedAtMs = Number.NEGATIVE_INFINITY
    this.hasNew = false
    this.hostLoad = first?.hostLoad ?? 0
    if (first && last && first.atMs - last.atMs >= minBaselineMs) this.#baseline = shareOf(last, first)
  }

  /** `isStarting` says that a window is awaited, so that little work counts. */
  async update(isStarting: boolean): Promise<void> {
    const previous = this.#previous
    const sample = previous && (await this.#sample())
    if (!sample || sample.atMs - previous.atMs < minStepMs) return
    const isFirstStep = previous === (await this.#first)
    this.#share = shareOf(previous, sample)
    this.#previous = sample
    this.#samples.push(sample)
    this.hostLoad = Math.max(this.hostLoad, sample.hostLoad)
    const fresh = sample.processes.filter(process => !this.#before.has(process))
    this.hasNew = fresh.length > 0
    if (fresh.some(process => !this.#seen.has(process))) this.startedAtMs = sample.atMs
    for (const process of fresh) this.#seen.add(process)
    // Programs that pause now did not work all the time before.
    if (this.#share < workingShare) this.#baseline = Math.min(this.#baseline ?? 1, this.#share)
    const limit = (this.#baseline ?? 0) * variation + (isStarting ? startingShare : workingShare)
    // The first step contains the work for the action itself; what lasts shows in the next.
    if (this.isWorking) this.workedAtMs = sample.atMs
    if (this.#share > limit && (this.hasNew || !isFirstStep)) this.busyAtMs = sample.atMs
    // A program that waits for the disk computes nothing.
    if (sample.loads > previous.loads) this.busyAtMs = sample.atMs
  }

  end(): void {
    this.#last = this.#previous
  }

  /** For how long nothing could run since this time, because the processors were taken from the host. */
  stolenSince(ms: number): number {
    const latest = this.#samples.at(-1)
    const then = this.#samples.findLast(({ atMs }) => atMs <= ms) ?? this.#samples[0]
    return latest && then ? latest.stolenMs - then.stolenMs : 0
  }

  /** Whether programs work now, for whatever reason. */
  get isWorking(): boolean {
    return this.#share > workingShare
  }

  /** Whether work does not tell an effect, because it is not known what was there before, or that was much. */
  get isHidden(): boolean {
    return this.#baseline === undefined || this.#baseline > hidingShare
  }

  async #sample(): Promise<Sample | undefined> {
    const activity = await this.#ask().catch(() => undefined)
    return activity && { ...activity, atMs: this.#clock.now() }
  }
}

/** The share of the time in which anything could run. */
function shareOf(before: Sample, after: Sample): number {
  const passedMs = after.atMs - before.atMs
  const ranMs = Math.max(passedMs - (after.stolenMs - before.stolenMs), minRunShare * passedMs)
  return (after.cpuMs - before.cpuMs) / ranMs
}
