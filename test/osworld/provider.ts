import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

const script = join(import.meta.dirname, 'drive.py')

/** OSWorld's provider, in a Python process of its own, as OSWorld has it. */
export class Provider {
  readonly #call: (...call: readonly string[]) => Promise<unknown>

  constructor(env: Readonly<Record<string, string>>) {
    const python = spawn('python3', ['-B', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    })
    cleanup.defer(() => void python.kill())
    const lines = createInterface(python.stdout)[Symbol.asyncIterator]()
    this.#call = async (...call) => {
      python.stdin.write(`${JSON.stringify(call)}\n`)
      const { value, done } = await lines.next()
      assert.ok(!done, 'the provider has ended')
      const answer: { returned?: unknown; raised?: string } = JSON.parse(value)
      if (answer.raised !== undefined) throw new Error(answer.raised)
      return answer.returned
    }
  }

  path = async (): Promise<string> => String(await this.#call('path'))
  start = (path: string): Promise<unknown> => this.#call('start', path)
  save = (path: string, name: string): Promise<unknown> => this.#call('save', path, name)
  revert = (path: string, name: string): Promise<unknown> => this.#call('revert', path, name)
  stop = (path: string): Promise<unknown> => this.#call('stop', path)
  /** Plays a task: whether it passed, and what was found. */
  play = (path: string, task: string): Promise<unknown> => this.#call('play', path, task)

  /** Where the controllers reach the machine. */
  async address(path: string): Promise<Address> {
    const [host, ...ports] = String(await this.#call('address', path)).split(':')
    const [server, chromium, screen, vlc] = ports.map(port => `http://${host}:${port}`)
    assert.ok(server && chromium && screen && vlc)
    return { server, chromium, screen, vlc }
  }
}

export interface Address {
  readonly server: string
  readonly chromium: string
  readonly screen: string
  readonly vlc: string
}
