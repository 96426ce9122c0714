import type { BuildEvent } from '@sandglass/protocol'

/** A build may print without limit, and its caller may read slowly, so no more than this is kept or sent. */
export const maxLogCharacters = 4 * 1024 * 1024

const smallCharacters = 4096

/** The events of a build from its first to its last, for one reader. */
export class BuildLog implements AsyncIterable<BuildEvent> {
  readonly imageId: string
  readonly #events: BuildEvent[] = []
  #printed = 0
  #isOver = false
  #wake: () => void = () => {}

  constructor(imageId: string) {
    this.imageId = imageId
  }

  add(event: BuildEvent): void {
    if (this.#isOver) return
    this.#events.push(event)
    this.#isOver = event.event === 'finished' || event.event === 'failed'
    this.#wake()
  }

  /** Adds what a step printed. What is beyond the limit is left out, and the log says so once. */
  print(step: number, stream: 'stdout' | 'stderr' | 'progress', text: string): void {
    const left = maxLogCharacters - this.#printed
    if (left <= 0 || text === '') return
    this.#printed += text.length
    this.#print({ event: 'output', step, stream, text: text.slice(0, left) })
    if (text.length >= left)
      this.add({
        event: 'output',
        step,
        stream: 'progress',
        text: 'The log is full. The rest is left out.\n',
      })
  }

  /** Small pieces that nobody has read yet become one event, because a program may print every character by itself. */
  #print(output: Extract<BuildEvent, { event: 'output' }>): void {
    const last = this.#events.at(-1)
    const isSame = last?.event === 'output' && last.step === output.step && last.stream === output.stream
    if (isSame && last.text.length < smallCharacters) {
      this.#events.pop()
      this.add({ ...output, text: last.text + output.text })
    } else this.add(output)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BuildEvent> {
    for (;;) {
      const event = this.#events.shift()
      if (event) yield event
      else if (this.#isOver) return
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
    }
  }
}
