import type { LiveLease, LiveState, LiveStatistics, LiveView } from '@sandglass/live'

/** All that the page shows beside the picture. */
export interface LiveSnapshot {
  readonly state: LiveState
  readonly lease: LiveLease
  readonly statistics: LiveStatistics | undefined
  /** Who asks for the control that this person has. */
  readonly asked: { readonly viewer: string; readonly name: string } | undefined
  /** Why this person was not given it. */
  readonly refused: string | undefined
  readonly machineIsThere: boolean
  readonly hasClipboard: boolean
  readonly hasPicture: boolean
}

/** Keeps what a view tells as one value for React. */
export class LiveModel {
  readonly view: LiveView
  readonly #stop: (() => void)[]
  readonly #listeners = new Set<() => void>()
  #snapshot: LiveSnapshot

  constructor(view: LiveView) {
    this.view = view
    this.#snapshot = {
      state: view.state,
      lease: view.lease,
      statistics: undefined,
      asked: undefined,
      refused: undefined,
      machineIsThere: true,
      hasClipboard: false,
      hasPicture: false,
    }
    this.#stop = [
      view.on('state', state =>
        this.#change({ state, ...(state.kind !== 'live' && { statistics: undefined }) }),
      ),
      view.on('lease', lease => this.#change({ lease, asked: undefined, refused: undefined })),
      view.on('statistics', statistics => this.#change({ statistics })),
      view.on('asked', asked => this.#change({ asked })),
      view.on('refused', ({ reason }) => this.#change({ refused: reason })),
      view.on('machine', ({ isThere }) => this.#change({ machineIsThere: isThere })),
      view.on('clipboard', () => this.#change({ hasClipboard: true })),
      view.on('size', () => this.#change({ hasPicture: true })),
    ]
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = () => this.#snapshot

  /** A question was answered, or a message read. */
  dismiss(what: 'asked' | 'refused'): void {
    this.#change({ [what]: undefined })
  }

  close(): void {
    for (const stop of this.#stop) stop()
    this.view.close()
  }

  #change(part: Partial<LiveSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part }
    for (const listener of this.#listeners) listener()
  }
}
