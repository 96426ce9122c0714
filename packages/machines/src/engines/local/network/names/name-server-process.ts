import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { gateway } from '../addresses.ts'
import { netnsPath } from '../namespaces.ts'
import type { Found, FromNameServer, NamedMachine, ToNameServer } from './messages.ts'

const program = join(import.meta.dirname, 'name-server.ts')
const maxMemoryMiB = 64
const startTimeoutMs = 30_000

export interface NameServerOptions {
  /** The name of the network namespace of the router. */
  readonly netns: string
  readonly resolvers: readonly string[]
  /** Lets a machine reach addresses. Resolves to false if that is refused or fails. */
  readonly open: (machine: string, found: Found) => Promise<boolean>
}

/** The engine's side of the name server. */
export class NameServerProcess {
  readonly #child: ChildProcess
  readonly #ending = Promise.withResolvers<Error>()
  /** Resolves with the reason when the process has ended. */
  readonly ended = this.#ending.promise

  private constructor(child: ChildProcess) {
    this.#child = child
    child.once('error', error => this.#ending.resolve(error))
    child.once('exit', (code, signal) =>
      this.#ending.resolve(new Error(`the name server ended with ${code ?? signal}`)),
    )
    // It must not keep the service from exiting.
    child.unref()
    child.channel?.unref()
  }

  /** Resolves when it answers queries. */
  static async start({ netns, resolvers, open }: NameServerOptions): Promise<NameServerProcess> {
    const node = [process.execPath, `--max-old-space-size=${maxMemoryMiB}`, program, gateway, ...resolvers]
    const child = spawn('nsenter', [`--net=${netnsPath(netns)}`, '--', ...node], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { PATH: process.env['PATH'] },
    })
    const started = new NameServerProcess(child)
    const ready = Promise.withResolvers<void>()
    child.on('message', (message: FromNameServer) => {
      if (message.kind === 'ready') return ready.resolve()
      const { id, machine, found } = message
      void open(machine, found).then(isOpen => started.#tell({ kind: 'opened', id, isOpen }))
    })
    const timer = setTimeout(() => ready.reject(new Error('the name server did not start')), startTimeoutMs)
    try {
      await Promise.race([ready.promise, started.ended.then(reason => Promise.reject(reason))])
      return started
    } catch (error) {
      started.close()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  serve(machines: readonly NamedMachine[]): void {
    this.#tell({ kind: 'machines', machines })
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }

  #tell(message: ToNameServer): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }
}
