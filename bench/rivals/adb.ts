import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Machine } from '@sandglass/machines/contract'
import { installMissing } from '../../packages/machines/src/engines/local/debian-packages.ts'

const run = promisify(execFile)
const patienceMs = 20_000

/** Debian's adb, with a server of its own on a port of its own, connected to the device in a machine. */
export class AdbClient {
  readonly #server: ChildProcess
  readonly #forwarder: Server
  readonly #serial: string
  readonly #port: string
  readonly #env: NodeJS.ProcessEnv

  private constructor(server: ChildProcess, forwarder: Server, port: string, env: NodeJS.ProcessEnv) {
    this.#server = server
    this.#forwarder = forwarder
    this.#serial = `127.0.0.1:${portOf(forwarder)}`
    this.#port = port
    this.#env = env
  }

  static async connect(machine: Machine, folder: string): Promise<AdbClient> {
    await installMissing([{ name: 'adb', file: '/usr/bin/adb', why: 'is what others start for each action' }])
    const forwarder = createServer(async socket => {
      const device = await machine.dial('tcp:127.0.0.1:5555')
      for (const stream of [socket, device]) stream.on('error', () => {})
      socket.setNoDelay()
      socket.pipe(device).pipe(socket)
    })
    forwarder.listen(0, '127.0.0.1')
    await once(forwarder, 'listening')
    const port = String(await freePort())
    const env = { ...process.env, HOME: folder, ADB_MDNS: '0' }
    const server = spawn('adb', ['-P', port, 'server', 'nodaemon'], { env, stdio: 'ignore' })
    const client = new AdbClient(server, forwarder, port, env)
    const end = Date.now() + patienceMs
    while (!(await client.#isThere())) {
      if (Date.now() > end) throw new Error(`adb does not reach the device within ${patienceMs} ms`)
      await setTimeout(100)
    }
    return client
  }

  /** What it prints. */
  async run(...words: readonly string[]): Promise<Buffer> {
    const { stdout } = await run('adb', ['-P', this.#port, '-s', this.#serial, ...words], {
      ...{ env: this.#env, encoding: 'buffer' as const, maxBuffer: 64 * 1024 * 1024 },
    })
    return stdout
  }

  async close(): Promise<void> {
    this.#server.kill('SIGTERM')
    if (this.#server.exitCode === null && this.#server.signalCode === null) await once(this.#server, 'exit')
    this.#forwarder.close()
  }

  async #isThere(): Promise<boolean> {
    try {
      await run('adb', ['-P', this.#port, 'connect', this.#serial], { env: this.#env })
      return (await this.run('get-state')).toString().trim() === 'device'
    } catch {
      return false
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo
  return address.port
}
