import type {
  LiveLease,
  LiveSandbox,
  LiveState,
  LiveStatistics,
  LiveView,
  LiveViewers,
} from '@sandglass/live'
import { controlLost } from './words.ts'

/** How long a notice stays. */
const noticeMs = 8000

/** Everything that the page shows besides the picture. */
export interface LiveSnapshot {
  readonly state: LiveState
  /** When `state` last changed. */
  readonly changedAt: Date
  readonly lease: LiveLease
  readonly sandbox: LiveSandbox | undefined
  readonly viewers: LiveViewers
  /** What the agent is doing. */
  readonly action: string | undefined
  readonly statistics: LiveStatistics | undefined
  /** The viewer who asks this person for control. */
  readonly asked: { readonly viewer: string; readonly name: string } | undefined
  /** This person has asked for control, and the person who has it has not answered. */
  readonly isAsking: boolean
  /** Why this person's request for control was refused. */
  readonly refused: string | undefined
  /** What has just happened to control, for a few seconds. */
  readonly notice: string | undefined
  readonly machineIsThere: boolean
  readonly hasClipboard: boolean
  readonly hasPicture: boolean
  /** Modifier keys that wait for the next key. */
  readonly latched: readonly string[]
  readonly isZoomed: boolean
}

/** Turns the events of a view into one snapshot for React. */
export class LiveModel {
  readonly view: LiveView
  readonly #stop: (() => void)[]
  readonly #listeners = new Set<() => void>()
  #snapshot: LiveSnapshot
  /** Whether this person was in control before the last change, or before the connection was lost. */
  #wasMine = false
  #isGivingUp = false
  #noticeTimer: ReturnType<typeof setTimeout> | undefined

  constructor(view: LiveView) {
    this.view = view
    this.#snapshot = {
      state: view.state,
      changedAt: new Date(),
      lease: view.lease,
      sandbox: undefined,
      viewers: { count: 1, others: [] },
      action: undefined,
      statistics: undefined,
      asked: undefined,
      isAsking: false,
      refused: undefined,
      notice: undefined,
      machineIsThere: true,
      hasClipboard: false,
      hasPicture: false,
      latched: [],
      isZoomed: false,
    }
    this.#stop = [
      view.on('state', state =>
        this.#change({
          state,
          changedAt: new Date(),
          ...(state.kind !== 'live' && { statistics: undefined }),
        }),
      ),
      view.on('lease', lease => this.#onLease(lease)),
      view.on('sandbox', sandbox => this.#change({ sandbox })),
      view.on('viewers', viewers => this.#change({ viewers })),
      view.on('action', ({ text }) => this.#change({ action: text })),
      view.on('statistics', statistics => this.#change({ statistics })),
      view.on('asked', asked => this.#change({ asked })),
      view.on('refused', ({ reason }) => this.#change({ refused: reason, isAsking: false })),
      view.on('machine', ({ isThere }) => this.#change({ machineIsThere: isThere })),
      view.on('clipboard', () => this.#change({ hasClipboard: true })),
      view.on('size', () => this.#change({ hasPicture: true })),
      view.on('latched', ({ keys }) => this.#change({ latched: keys })),
      view.on('zoom', ({ factor }) => this.#change({ isZoomed: factor > 1 })),
    ]
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = () => this.#snapshot

  take({ force = false } = {}): void {
    this.view.take({ force })
    this.#change({ isAsking: !force && this.#snapshot.lease.holder.kind === 'person', refused: undefined })
  }

  handBack(): void {
    this.#isGivingUp = true
    this.view.handBack()
  }

  answer(viewer: string, grant: boolean): void {
    this.#isGivingUp = grant
    this.view.answer(viewer, grant)
    this.dismiss('asked')
  }

  /** Hides a request that was answered or a message that was read. */
  dismiss(what: 'asked' | 'refused' | 'notice'): void {
    this.#change({ [what]: undefined })
  }

  close(): void {
    clearTimeout(this.#noticeTimer)
    for (const stop of this.#stop) stop()
    this.view.close()
  }

  #onLease(lease: LiveLease): void {
    const { number } = this.#snapshot.lease
    this.#change({ lease, ...(lease.number !== number && { asked: undefined, isAsking: false }) })
    // Without a connection nobody knows who is in control.
    if (this.#snapshot.state.kind !== 'live' || lease.number === 0) return
    if (lease.isMine) this.#change({ refused: undefined })
    else if (this.#wasMine && !this.#isGivingUp) this.#notify(controlLost(lease))
    this.#wasMine = lease.isMine
    this.#isGivingUp = false
  }

  #notify(notice: string): void {
    clearTimeout(this.#noticeTimer)
    this.#change({ notice })
    this.#noticeTimer = setTimeout(() => this.dismiss('notice'), noticeMs)
  }

  #change(part: Partial<LiveSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part }
    for (const listener of this.#listeners) listener()
  }
}
