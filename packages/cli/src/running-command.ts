import type { Sandglass } from '@sandglass/client'
import { type Connection, findConnection } from './connection.ts'
import type { Context } from './context.ts'
import { Interrupted } from './failures.ts'
import type { GlobalOptions } from './global-options.ts'
import { lightFetch } from './light-fetch.ts'
import { Output } from './output.ts'
import { Style } from './style.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One run of a command: its context, what ends it, and what it leaves behind. */
export class RunningCommand {
  readonly #host: NodeJS.Process
  readonly #options: GlobalOptions
  readonly #interruption = new AbortController()
  readonly #cleanUps: (() => unknown)[] = []
  #client: Promise<Sandglass> | undefined

  constructor(options: GlobalOptions, host: NodeJS.Process) {
    this.#options = options
    this.#host = host
  }

  async run(act: (context: Context) => Promise<number>): Promise<number> {
    const { signal } = this.#interruption
    const interrupt = (name: (typeof signals)[number]) => {
      // Whoever presses Ctrl-C twice does not wait for anything.
      if (signal.aborted) this.#host.exit(new Interrupted(name).exitCode)
      this.#interruption.abort(new Interrupted(name))
    }
    for (const name of signals) this.#host.on(name, interrupt)
    try {
      return await act(this.#context())
    } catch (error) {
      // What failed because it was aborted is not worth a message.
      throw signal.aborted ? signal.reason : error
    } finally {
      for (const cleanUp of this.#cleanUps.reverse()) await cleanUp()
      for (const name of signals) this.#host.off(name, interrupt)
    }
  }

  #context(): Context {
    const { env, stdin, stdout, stderr } = this.#host
    const options = this.#options
    const style = new Style(stdout, env)
    return {
      options,
      env,
      cwd: this.#host.cwd(),
      stdin,
      stdout,
      stderr,
      signal: this.#interruption.signal,
      output: new Output(stdout, options.output ?? 'table', style),
      note: text => {
        if (!options.quiet) stderr.write(`${text}\n`)
      },
      style,
      isInteractive: stdin.isTTY === true && stderr.isTTY === true,
      connection: () => this.#connection(),
      client: () => this.#connect(),
      defer: cleanUp => {
        this.#cleanUps.push(cleanUp)
      },
    }
  }

  #connection(): Promise<Connection> {
    return findConnection(this.#options, this.#host.env)
  }

  #connect(): Promise<Sandglass> {
    this.#client ??= Promise.all([import('@sandglass/client'), this.#connection()]).then(
      ([{ Sandglass }, { url, orgId, apiKey }]) => new Sandglass({ url, orgId, apiKey, fetch: lightFetch }),
    )
    return this.#client
  }
}
