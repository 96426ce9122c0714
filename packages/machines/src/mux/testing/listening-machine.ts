import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, Transform } from 'node:stream'

const guest = join(import.meta.dirname, '../../../guest')

/** A connection to the end of a channel, as a cluster carries it. */
export interface Carried {
  readonly stream: Duplex
  /** Whether the machine has ended it. */
  readonly hasEnded: () => boolean
  /** Keeps what is sent from now on, as a network does that is cut off. */
  hold(): void
  /** Delivers it. */
  deliver(): void
}

/** A machine whose channel is joined from outside as often as one likes, with a server that keeps what arrives. */
export class ListeningMachine {
  readonly #folder: string
  readonly #children: ChildProcess[] = []
  readonly #received: Buffer[] = []
  readonly #connections = new Set<Socket>()
  readonly #server = createServer(connection => {
    this.#connections.add(connection)
    connection.on('error', () => {}).on('data', chunk => this.#received.push(chunk))
  })

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async start(): Promise<ListeningMachine> {
    const machine = new ListeningMachine(await mkdtemp(join(tmpdir(), 'mux-')))
    machine.#server.listen(join(machine.#folder, 'x11'))
    const program = join(import.meta.dirname, 'listening.py')
    const { stdout } = machine.#spawn('python3', ['-SB', program, guest, machine.#folder])
    if (stdout) await once(stdout, 'data')
    return machine
  }

  /** What the server has received, over all sessions. */
  get received(): string {
    return String(Buffer.concat(this.#received))
  }

  /** Joins the channel in the name of a session, if there is one. */
  join(...name: string[]): Carried {
    const child = this.#spawn('perl', [join(guest, 'join-channel'), join(this.#folder, 'channel'), ...name])
    const { stdin, stdout } = child
    if (!stdin || !stdout) throw new Error('the program has no streams')
    stdin.on('error', () => {})
    const held: Buffer[] = []
    let isHeld = false
    const way = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (isHeld) held.push(chunk)
        done(null, isHeld ? undefined : chunk)
      },
    })
    way.pipe(stdin)
    return {
      stream: Duplex.from({ writable: way, readable: stdout }),
      hasEnded: () => child.exitCode !== null,
      hold: () => {
        isHeld = true
      },
      deliver: () => {
        stdin.write(Buffer.concat(held))
      },
    }
  }

  async dispose(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    for (const connection of this.#connections) connection.destroy()
    this.#server.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #spawn(command: string, args: readonly string[]): ChildProcess {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#children.push(child)
    return child
  }
}
