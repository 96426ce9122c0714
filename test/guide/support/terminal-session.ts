import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../../packages/server/src/testing/cleanup.ts'

const end = '--- the end of a block ---'

/** A block starts a service or runs an agent, on a box that other tests use too. */
const longestBlockMs = 480_000

/** Blocks arrive apart from stdin, so that no command takes the next block for its input. The first failure ends the shell. */
const loop = `while IFS= read -r -d '' block <&3; do eval "$block" 3<&-; echo '${end}'; done`

/** The terminal of a reader, who pastes one block after the other. */
export class TerminalSession {
  readonly #shell: ChildProcess
  #printed = ''
  #errors = ''

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#shell = spawn('bash', ['-e', '-c', loop], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    cleanup.defer(() => void this.#shell.kill('SIGKILL'))
    this.#shell.stdout?.setEncoding('utf8').on('data', text => {
      this.#printed += text
    })
    this.#shell.stderr?.setEncoding('utf8').on('data', text => {
      this.#errors += text
    })
  }

  /** What is printed until the last command of the block has ended, and before it by what an earlier block left in the background. */
  async paste(block: string): Promise<string> {
    const [, background = ''] = this.#printed.split(`${end}\n`)
    this.#printed = background
    this.#errors = ''
    const blocks = this.#shell.stdio[3] as Writable
    blocks.write(`${block}\0`)
    await waitFor(() => this.#printed.includes(end) || this.#shell.exitCode !== null, longestBlockMs)
    assert.equal(
      this.#shell.exitCode,
      null,
      `this block failed:\n${block}\n${this.#printed}\n${this.#errors}`,
    )
    return this.#printed.slice(0, this.#printed.indexOf(end))
  }

  /** What was printed since the last block was pasted, also by programs in the background. */
  get printed(): string {
    return this.#printed
  }

  close(): void {
    this.#shell.stdio[3]?.destroy()
  }
}
