import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/**
 * A process that ends when its standard input does, which happens at the latest when the test process ends, even if
 * that is killed.
 */
export class HeldProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: Interface
  readonly #log: string
  readonly #exited: Promise<unknown>

  constructor(command: string, args: readonly string[], log: string) {
    this.#log = log
    const script = 'exec "$@" 2>> "$0"'
    this.#child = spawn('sh', ['-c', script, log, command, ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
    this.#exited = once(this.#child, 'exit').catch(() => {})
    this.#child.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The next line of its output. */
  async line(): Promise<string> {
    const ended = this.#exited.then(() => undefined)
    const line = await Promise.race([once(this.#lines, 'line'), ended])
    if (!line) throw new Error(`${this.#child.spawnargs.join(' ')} ended; see ${this.#log}`)
    return String(line[0])
  }

  /** Sends a line, and waits for the line that acknowledges it. */
  async tell(command: string): Promise<void> {
    const answer = this.line()
    this.#child.stdin.write(`${command}\n`)
    await answer
  }

  /** Kills a process of which this one waits for the end, and resolves when both are gone. */
  async kill(pid = this.pid): Promise<void> {
    try {
      if (this.#child.exitCode === null && this.#child.signalCode === null) process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
    await this.#exited
  }
}
