/** How many frames, and of how many bytes, may be on their way to a viewer. */
const mostFrames = 8
const mostBytes = 1024 * 1024

interface Sent {
  readonly sequence: number
  readonly bytes: number
}

/** What is on its way to one viewer: bounded, whatever the viewer does. */
export class Flow {
  readonly #underWay: Sent[] = []
  #bytes = 0
  #last = 0

  /** Whether one more frame may go. */
  get isOpen(): boolean {
    return this.#underWay.length < mostFrames && this.#bytes < mostBytes
  }

  nextSequence(): number {
    return (this.#last + 1) >>> 0
  }

  sent(bytes: number): void {
    this.#last = this.nextSequence()
    this.#underWay.push({ sequence: this.#last, bytes })
    this.#bytes += bytes
  }

  /** Stands for all before it. One that is not under way says nothing. */
  acknowledged(sequence: number): void {
    const at = this.#underWay.findIndex(sent => sent.sequence === sequence)
    for (const { bytes } of this.#underWay.splice(0, at + 1)) this.#bytes -= bytes
  }
}
