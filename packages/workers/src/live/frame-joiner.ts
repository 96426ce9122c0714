import { channel, sequenceOf, shownBy } from '@sandglass/wire/frames'
import type { Recipient } from './from-session.ts'

interface Joined {
  readonly to: Recipient[]
  readonly frame: Uint8Array
}

/**
 * Sends frames, each once for all viewers that get it in the same turn. Those of a picture are alike except for their
 * sequence numbers. Every viewer's frames keep their order.
 */
export class FrameJoiner {
  readonly #send: (joined: Joined) => void
  #joined: Joined[] = []
  /** The place of each viewer's latest frame. Only those after it may be joined. */
  readonly #places = new Map<number, number>()

  constructor(send: (joined: Joined) => void) {
    this.#send = send
  }

  add(viewer: number, frame: Uint8Array): void {
    if (this.#joined.length === 0) queueMicrotask(() => this.#flush())
    const after = this.#places.get(viewer) ?? -1
    let place = this.#joined.findIndex((joined, at) => at > after && isAlike(joined.frame, frame))
    if (place < 0) place = this.#joined.push({ to: [], frame }) - 1
    this.#joined[place]?.to.push({ viewer, sequence: isPicture(frame) ? sequenceOf(frame) : 0 })
    this.#places.set(viewer, place)
  }

  #flush(): void {
    const joined = this.#joined
    this.#joined = []
    this.#places.clear()
    for (const each of joined) this.#send(each)
  }
}

export function isPicture(frame: Uint8Array): boolean {
  return frame[4] === channel.picture
}

function isAlike(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length || a[4] !== b[4] || a[5] !== b[5]) return false
  return Buffer.compare(isPicture(a) ? shownBy(a) : a, isPicture(b) ? shownBy(b) : b) === 0
}
