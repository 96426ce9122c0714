import type { LiveLease, LiveState, LiveStatistics, LiveView } from '@sandglass/live'

/** Everything that the page shows besides the picture. */
export interface LiveSnapshot {
  readonly state: LiveState
  /** When `state` last changed. */
  readonly changedAt: Date
  readonly lease: LiveLease
  readonly statistics: LiveStatistics | undefined
  /** The viewer who asks this person for control. */
  readonly asked: { readonly viewer: string; readonly name: string } | undefined
  /** Why this person's request for control was refused. */
  readonly refused: string | undefined
  readonly machineIsThere: boolean
  readonly hasClipboard: boolean
  readonly hasPicture: boolean
}

/** Turns the events of a view into one snapshot for React. */
export class LiveModel {
  readonly view: LiveView
  readonly #stop: (() => void)[]
  readonly #listeners = new Set<() => void>()
  #snapshot: LiveSnapshot

  constructor(view: LiveView) {
    this.view = view
    this.#snapshot = {
      state: view.state,
      changedAt: new Date(),
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
        this.#change({
          state,
          changedAt: new Date(),
          ...(state.kind !== 'live' && { statistics: undefined }),
        }),
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

  /** Hides a request that was answered or a message that was read. */
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
