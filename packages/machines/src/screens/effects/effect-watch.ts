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

/** What an action has caused on the screen is there after this time, even if nobody waited for it. */
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

/** Programs that are started after this time without anything being shown, such as those of a build, are not the effect. */
const startsMs = 3000

/** A screen that changes for this long without a pause shows an animation. */
const animationMs = 2000
/** How long an action has to take effect on a screen that moves anyway, and a window to be painted there. */
const reactionMs = 400
const paintingMs = 170

/** Knows when an action has taken effect, from everything that can be observed from outside the machine. */
export class EffectWatch {
  readonly windows: WindowLog
  readonly #clock: Clock
  readonly #screen = new ChangePattern()
  readonly #programs: ProgramLog
  /** When the first action began after the last wait, with which the programs are compared. */
  #firstBegunMs: number | undefined
  /** When the actions began whose effect on the screen is awaited. */
  #begunMs = Number.NEGATIVE_INFINITY
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

  /** Called before every action, with whether the screen is watched now. It does not delay the action. */
  begin(isWatched = false): void {
    const nowMs = this.#clock.now()
    const isFirst = this.#firstBegunMs === undefined
    if (isFirst || nowMs - this.#lastBegunMs >= togetherMs) {
      this.#begunMs = nowMs
      this.#screen.begin(nowMs, isWatched)
    }
    this.#lastBegunMs = nowMs
    if (!isFirst) return
    this.#firstBegunMs = nowMs
    this.#programs.begin()
  }

  /** Waits until what the actions since the last wait have caused is over. */
  async atRest({ quietMs, maxMs, signal }: SettleOptions): Promise<Rest> {
    const waitsFromMs = this.#clock.now()
    if (this.#firstBegunMs === undefined) this.begin()
    try {
      await this.#programs.begun()
      for (;;) {
        const nowMs = this.#clock.now()
        const remainingMs = this.#remaining(nowMs, quietMs, waitsFromMs)
        if (remainingMs <= 0) return this.#isMoving(nowMs) ? 'background' : 'rest'
        const leftMs = Math.min(remainingMs, waitsFromMs + maxMs - nowMs)
        if (leftMs <= 0) return 'timeout'
        const isLastPart = leftMs <= leadMs
        await this.#clock.pause(isLastPart ? leftMs : Math.min(stepMs, leftMs - leadMs), signal)
        if (!isLastPart) await this.#programs.update(this.#isStarting)
      }
    } finally {
      this.#firstBegunMs = undefined
      this.#screen.end(this.#clock.now())
      this.#programs.end()
    }
  }

  #isMoving(nowMs: number): boolean {
    return this.#screen.isMoving(nowMs) || this.#programs.isWorking
  }

  /** Whether a program was started whose window is not there. */
  get #isStarting(): boolean {
    const { isAnnounced, listedAtMs } = this.windows
    return isAnnounced || (this.#programs.hasNew && listedAtMs < this.#firstMs)
  }

  get #firstMs(): number {
    return this.#firstBegunMs ?? this.#begunMs
  }

  /** How long nothing more may happen until the machine is at rest. */
  #remaining(nowMs: number, quietMs: number, waitsFromMs: number): number {
    const screen = this.#screen
    const isFlowKnown = screen.isFlowKnown(nowMs)
    const isAnimation = isFlowKnown || screen.flowMs(nowMs) > animationMs
    const shownAtMs = Math.max(isAnimation ? 0 : screen.changedAtMs(nowMs), this.windows.changedAtMs)
    const startedAtMs = this.#programs.startedAtMs
    const isStart = startedAtMs - Math.max(shownAtMs, this.#begunMs) < startsMs
    const seenAtMs = Math.max(waitsFromMs, shownAtMs, isStart ? startedAtMs : 0)
    const unseenMs = nowMs - seenAtMs
    const isHidden = this.#programs.isHidden || isAnimation
    // What moved before worked before, too.
    const isOwnWork = !isFlowKnown && !(isHidden && unseenMs > hiddenWorkMs)
    const worksAtMs = isOwnWork ? this.#programs.busyAtMs : 0
    // What was measured before may have ended since; work after a visible effect is probably for it.
    const hasEffect = Math.max(this.windows.changedAtMs, this.#programs.startedAtMs) >= this.#firstMs
    const workedAtMs = hasEffect && !isAnimation && unseenMs < effectWorkMs ? this.#programs.workedAtMs : 0
    const spunAtMs = isFlowKnown || unseenMs > spinnerMs ? 0 : screen.spunAtMs
    const happenedAtMs = Math.max(seenAtMs, worksAtMs, workedAtMs, spunAtMs)
    const quietForMs = nowMs - happenedAtMs - this.#programs.stolenSince(happenedAtMs)
    return this.#quietMs(quietMs, isAnimation) - quietForMs
  }

  #quietMs(wantedMs: number, isAnimation: boolean): number {
    const { isHidden, hostLoad } = this.#programs
    const hasOpened = this.windows.listedAtMs >= this.#begunMs
    return Math.max(
      wantedMs,
      this.#isStarting ? (isHidden ? hiddenStartingMs : startingMs) : 0,
      hasOpened ? (isHidden ? hiddenOpenedMs : openedMs) : 0,
      hostLoad > busyHostLoad ? busyHostMs : 0,
      isAnimation ? (this.windows.changedAtMs >= this.#begunMs ? paintingMs : reactionMs) : 0,
    )
  }
}
