/** Passes every key to the reader, also Ctrl-C, until it is disposed of or the process ends for whatever reason. */
export class RawTerminal implements Disposable {
  readonly #stdin: NodeJS.ReadStream
  readonly #restore = () => this[Symbol.dispose]()

  constructor(stdin: NodeJS.ReadStream) {
    this.#stdin = stdin
    stdin.setRawMode(true)
    process.once('exit', this.#restore)
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#restore)
    this.#stdin.setRawMode(false)
  }
}
