import type { MachineActivity } from '../../contract/activity.ts'
import type { Rect } from '../../contract/rect.ts'
import type { Rest, SettleOptions } from '../../contract/screen.ts'
import { type Clock, systemClock } from '../clock.ts'
import { ChangePattern } from './change-pattern.ts'
import { ProgramLog } from './program-log.ts'
import { WindowLog } from './window-log.ts'

/** How often programs are looked at. */
const stepMs = 50
/** The last look begins this long before the wait ends, so that it does not prolong the wait. */
const leadMs = 8

/** Actions that follow each other within this time, without a look between them, belong together. */
const togetherMs = 500

/** How long nothing may happen while a program that was started has no window. */
const startingMs = 500
/** How long nothing may happen after a window has opened: programs paint it in stages. */
const openedMs = 250
/** On a host with more to do than it can, programs react later. */
const busyHostMs = 150
const busyHostLoad = 2
/** The same if the processor time that programs use does not show whether they work for the action. */
const hiddenStartingMs = 2000
const hiddenOpenedMs = 600

/** How long programs may work, or a spinner may turn, without anything else happening. */
const hiddenWorkMs = 1500
const spinnerMs = 4000
const effectWorkMs = 2000

/** A screen that changes for this long without a pause shows an animation. */
const animationMs = 2000
/** How long an action has to take effect on a screen that moves anyway. */
const reactionMs = 400

/** Knows when an action has taken effect, from everything that can be observed from outside the machine. */
export class EffectWatch {
  readonly windows: WindowLog
  readonly #clock: Clock
  readonly #screen = new ChangePattern()
  readonly #programs: ProgramLog
  #begunMs: number | undefined
  #lastBegunMs = Number.NEGATIVE_INFINITY

  constructor(activity: () => Promise<MachineActivity | undefined>, clock: Clock = systemClock) {
    this.#clock = clock
    this.windows = new WindowLog(clock)
    this.#programs = new ProgramLog(activity, clock)
  }

  /** Records what changed on the screen. */
  changed(rects: readonly Rect[]): void {
    this.#screen.changed(rects, this.#clock.now())
  }

  /** Called before every action. It does not delay the action. */
  begin(): void {
    const nowMs = this.#clock.now()
    const belongsToLast = this.#begunMs !== undefined && nowMs - this.#lastBegunMs < togetherMs
    this.#lastBegunMs = nowMs
    if (belongsToLast) return
    this.#begunMs = nowMs
    this.#screen.begin(nowMs)
    this.#programs.begin()
  }

  /** Waits until what the actions since `begin` have caused is over. */
  async atRest({ quietMs, maxMs, signal }: SettleOptions): Promise<Rest> {
    const waitsFromMs = this.#clock.now()
    if (this.#begunMs === undefined) this.begin()
    const begunMs = this.#begunMs ?? waitsFromMs
    try {
      await this.#programs.begun()
      for (;;) {
        const nowMs = this.#clock.now()
        const remainingMs = this.#remaining(nowMs, quietMs, begunMs, waitsFromMs)
        if (remainingMs <= 0) return this.#isMoving(nowMs) ? 'background' : 'rest'
        const leftMs = Math.min(remainingMs, waitsFromMs + maxMs - nowMs)
        if (leftMs <= 0) return 'timeout'
        const isLastPart = leftMs <= leadMs
        await this.#clock.pause(isLastPart ? leftMs : Math.min(stepMs, leftMs - leadMs), signal)
        if (!isLastPart) await this.#programs.update(this.#isStarting(begunMs))
      }
    } finally {
      this.#begunMs = undefined
      this.#screen.end(this.#clock.now())
      this.#programs.end()
    }
  }

  #isMoving(nowMs: number): boolean {
    return this.#screen.isMoving(nowMs) || this.#programs.isWorking
  }

  /** Whether a program was started whose window is not there. */
  #isStarting(begunMs: number): boolean {
    return this.windows.isAnnounced || (this.#programs.hasNew && this.windows.listedAtMs < begunMs)
  }

  /** How long nothing more may happen until the machine is at rest. */
  #remaining(nowMs: number, quietMs: number, begunMs: number, waitsFromMs: number): number {
    const screen = this.#screen
    const isAnimation = screen.isFlowKnown || screen.flowMs(nowMs) > animationMs
    const seenAtMs = Math.max(
      waitsFromMs,
      isAnimation ? 0 : screen.changedAtMs,
      this.windows.changedAtMs,
      this.#programs.startedAtMs,
    )
    const unseenMs = nowMs - seenAtMs
    const isHidden = this.#programs.isHidden || isAnimation
    const worksAtMs = isHidden && unseenMs > hiddenWorkMs ? 0 : this.#programs.busyAtMs
    // What was measured before may have ended since; work after a visible effect is probably for it.
    const hasEffect = Math.max(this.windows.changedAtMs, this.#programs.startedAtMs) >= begunMs
    const workedAtMs = hasEffect && !isAnimation && unseenMs < effectWorkMs ? this.#programs.workedAtMs : 0
    const spunAtMs = unseenMs > spinnerMs ? 0 : screen.spunAtMs
    const happenedAtMs = Math.max(seenAtMs, worksAtMs, workedAtMs, spunAtMs)
    return this.#quietMs(quietMs, begunMs, isAnimation) - (nowMs - happenedAtMs)
  }

  #quietMs(wantedMs: number, begunMs: number, isAnimation: boolean): number {
    const { isHidden, hostLoad } = this.#programs
    const hasOpened = this.windows.listedAtMs >= begunMs
    return Math.max(
      wantedMs,
      this.#isStarting(begunMs) ? (isHidden ? hiddenStartingMs : startingMs) : 0,
      hasOpened ? (isHidden ? hiddenOpenedMs : openedMs) : 0,
      hostLoad > busyHostLoad ? busyHostMs : 0,
      isAnimation ? reactionMs : 0,
    )
  }
}
