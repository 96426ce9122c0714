import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import type { TestService } from '../../packages/server/src/testing/test-service.ts'
import { Terminal, type TerminalOptions } from './terminal.ts'

const main = join(import.meta.dirname, '../../packages/cli/src/main.ts')

export interface Finished {
  readonly exitCode: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** The command line, used with a service as a person or a script does. */
export class CommandLine {
  readonly #env: NodeJS.ProcessEnv

  constructor({ service: { url, credentials } }: TestService, home: string) {
    const { orgId, apiKey } = credentials
    this.#env = {
      ...process.env,
      HOME: home,
      SANDGLASS_URL: url,
      SANDGLASS_ORG: orgId,
      SANDGLASS_API_KEY: apiKey,
      NODE_NO_WARNINGS: '1',
    }
  }

  static async for(service: TestService): Promise<CommandLine> {
    const home = await mkdtemp(join(tmpdir(), 'sandglass-home-'))
    // A command that was just killed may still write to it.
    cleanup.defer(() => rm(home, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }))
    return new CommandLine(service, home)
  }

  /** Starts a command. It is ended after the tests if it still runs. */
  start(words: readonly string[], cwd?: string): ChildProcess {
    const child = spawn(process.execPath, [main, ...words], { env: this.#env, cwd })
    child.stdin?.on('error', () => {})
    cleanup.defer(() => {
      child.kill('SIGKILL')
    })
    return child
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], input: string | Uint8Array = '', cwd?: string): Promise<Finished> {
    const child = this.start(words, cwd)
    child.stdin?.end(input)
    return await finishedOf(child)
  }

  /** Runs a line of bash, in which `sandglass` is the command line. */
  async bash(line: string, cwd?: string): Promise<Finished> {
    const sandglass = `sandglass() { ${JSON.stringify(process.execPath)} ${JSON.stringify(main)} "$@"; }`
    const child = spawn('bash', ['-c', `${sandglass}\n${line}`], { env: this.#env, cwd })
    child.stdin.end()
    return await finishedOf(child)
  }

  /** Starts a command in a terminal. */
  terminal(words: readonly string[], options: TerminalOptions = {}): Terminal {
    const env = { ...this.#env, TERM: 'xterm-256color', ...options.env }
    return new Terminal([process.execPath, main, ...words], { ...options, env })
  }
}

export async function finishedOf(child: ChildProcess): Promise<Finished> {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    child.stdout ? buffer(child.stdout) : Buffer.alloc(0),
    child.stderr ? buffer(child.stderr) : Buffer.alloc(0),
    once(child, 'close'),
  ])
  return { exitCode, stdout, stderr: stderr.toString() }
}
