import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { waitFor } from '@sandglass/machines/testing'

export interface TerminalOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly rows?: number
  readonly columns?: number
}

/** A program in a real pseudo-terminal, as a person uses it. */
export class Terminal implements AsyncDisposable {
  /** Everything that it has shown. */
  shown = ''
  readonly exited: Promise<number>
  readonly #process: ChildProcess

  constructor(command: readonly string[], { env = {}, rows = 24, columns = 80 }: TerminalOptions = {}) {
    const script = join(import.meta.dirname, 'terminal.py')
    this.#process = spawn('python3', [script, String(rows), String(columns), ...command], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    })
    this.#process.stdout?.setEncoding('utf8').on('data', text => {
      this.shown += text
    })
    this.#process.stdin?.on('error', () => {})
    this.exited = once(this.#process, 'close').then(([code]) => code ?? -1)
  }

  type(text: string): void {
    this.#do({ type: Buffer.from(text).toString('base64') })
  }

  resize(rows: number, columns: number): void {
    this.#do({ size: [rows, columns] })
  }

  /** Resolves when it shows what is expected. */
  async shows(expected: RegExp): Promise<void> {
    await waitFor(async () => expected.test(this.shown)).catch(error => {
      throw new Error(`${expected} is not shown, but ${JSON.stringify(this.shown)}`, { cause: error })
    })
  }

  /** Whether keys are passed on one by one, without the line editing of the terminal. */
  async isRaw(): Promise<boolean> {
    const before = this.shown.length
    this.#do({ isRaw: true })
    await waitFor(async () => /<(raw|cooked)>/.test(this.shown.slice(before)))
    return this.shown.slice(before).includes('<raw>')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) this.#process.kill('SIGTERM')
    await this.exited
  }

  #do(what: object): void {
    this.#process.stdin?.write(`${JSON.stringify(what)}\n`)
  }
}
