import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Duplex, duplexPair } from 'node:stream'

const guest = join(import.meta.dirname, '../../../guest')

/** A machine that accepts streams over a byte stream, and the servers inside it, which are the test's. */
export class TestMachine {
  readonly folder: string
  readonly #servers: Server[] = []
  readonly #children: ChildProcess[] = []
  readonly #connections = new Set<Socket>()
  #far: Duplex | undefined
  #near: Duplex | undefined

  private constructor(folder: string) {
    this.folder = folder
  }

  static async start(): Promise<TestMachine> {
    const machine = new TestMachine(await mkdtemp(join(tmpdir(), 'mux-')))
    machine.restart()
    return machine
  }

  /** The process id of the program in the machine. */
  pid = 0

  /** Replaces the program in the machine by a new one, on the same byte stream as far as the other side can tell. */
  restart(): void {
    if (this.#near) this.#far?.unpipe(this.#near)
    this.#far?.destroy()
    const { child, line } = this.#python('machine.py', [this.folder])
    this.pid = child.pid ?? 0
    this.#far = line
    if (this.#near) this.#connect(this.#near)
  }

  /** Serves a target. */
  async serve(target: string, serve: (connection: Socket) => void): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, connection => {
      this.#connections.add(connection)
      connection.on('error', () => {})
      connection.once('close', () => this.#connections.delete(connection))
      serve(connection)
    })
    this.#servers.push(server)
    await new Promise<void>(listening =>
      server.listen({ path: join(this.folder, target), backlog: 2048 }, listening),
    )
  }

  get openConnections(): number {
    return this.#connections.size
  }

  /** Writes bytes as an earlier user of the byte stream would have. */
  inject(bytes: Uint8Array): void {
    this.#far?.write(bytes)
  }

  /** A new user of the byte stream, who replaces the one before at whatever byte it is. */
  line(): Duplex {
    const [near, other] = duplexPair()
    this.#connect(other)
    return near
  }

  /** A new user of the byte stream in another process, and what it reports. */
  relay(targets: readonly string[], folder: string, environment: Record<string, string> = {}) {
    const { child, line } = this.#python('relay.py', [folder, ...targets], environment)
    this.#connect(line)
    const reports = createInterface({ input: child.stdout ?? Duplex.from([]) })[Symbol.asyncIterator]()
    return {
      pid: child.pid ?? 0,
      report: async (): Promise<unknown> => JSON.parse(String((await reports.next()).value)),
    }
  }

  async dispose(): Promise<void> {
    this.#near?.destroy()
    this.#far?.destroy()
    for (const child of this.#children) child.kill('SIGKILL')
    for (const connection of this.#connections) connection.destroy()
    for (const server of this.#servers) server.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  #connect(near: Duplex): void {
    const far = this.#far
    if (!far) return
    if (this.#near) {
      far.unpipe(this.#near)
      this.#near.unpipe(far)
      if (this.#near !== near) this.#near.destroy()
    }
    this.#near = near
    near.on('error', () => {})
    near.pipe(far, { end: false })
    far.pipe(near)
  }

  #python(program: string, args: readonly string[], environment: Record<string, string> = {}) {
    const child = spawn('python3', ['-SB', join(import.meta.dirname, program), guest, ...args], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      env: { ...process.env, ...environment },
    })
    this.#children.push(child)
    const line = child.stdio[3]
    if (!(line instanceof Duplex)) throw new Error('descriptor 3 is not a socket')
    line.on('error', () => {})
    return { child, line }
  }
}
