import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { Terminal } from './terminal.ts'

const main = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Choices {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** The command line of one person: a home folder, and `sandglass` in the path. */
export class CliUser {
  readonly home: string
  readonly env: Readonly<Record<string, string>>

  private constructor(home: string, env: Readonly<Record<string, string>>) {
    this.home = home
    this.env = env
  }

  static async create(env: Readonly<Record<string, string>> = {}): Promise<CliUser> {
    const home = await mkdtemp(join(tmpdir(), 'sandglass-cli-'))
    // What a killed command has started may still write to it.
    cleanup.defer(() => rm(home, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }))
    const bin = join(home, 'bin')
    await mkdir(bin)
    const program = join(bin, 'sandglass')
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    await chmod(program, 0o755)
    const cache = process.env['NODE_COMPILE_CACHE']
    return new CliUser(home, {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: home,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      // Compiled code is shared with the other processes of the test run.
      ...(cache && { NODE_COMPILE_CACHE: cache }),
      ...env,
    })
  }

  /** Runs a line of bash to its end. */
  async bash(line: string, { input, env, cwd }: Choices = {}): Promise<Ran> {
    const child = this.start('bash', ['-c', line], { env, cwd })
    const read = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', text => {
      read.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', text => {
      read.stderr += text
    })
    child.stdin?.on('error', () => {}).end(input ?? '')
    const code = await new Promise<number | null>(resolve => child.on('close', resolve))
    return { code, ...read }
  }

  run(...args: string[]): Promise<Ran> {
    return this.bash(`sandglass ${args.map(quote).join(' ')}`)
  }

  /** Starts a line of bash in a terminal of its own. */
  terminal(line: string, { env, cwd, columns = 80 }: Choices & { columns?: number } = {}): Terminal {
    const started = new Terminal(['bash', '-c', `cd ${quote(cwd ?? this.home)} && ${line}`], {
      env: { ...this.env, ...env },
      columns,
    })
    cleanup.defer(() => started[Symbol.asyncDispose]())
    return started
  }

  start(file: string, args: readonly string[], { env, cwd }: Choices = {}): ChildProcess {
    const child = spawn(file, args, {
      env: { ...this.env, ...env },
      cwd: cwd ?? this.home,
      stdio: 'pipe',
    })
    cleanup.defer(() => void child.kill('SIGKILL'))
    return child
  }
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The variables that name a service. */
export function variablesOf({ url, orgId, apiKey }: { url: string; orgId: string; apiKey: string }) {
  return { SANDGLASS_URL: url, SANDGLASS_ORG: orgId, SANDGLASS_API_KEY: apiKey }
}
