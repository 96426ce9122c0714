import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { freePort } from '../../testing/free-port.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { installMissing } from '../local/host/debian-packages.ts'

const run = promisify(execFile)

/** A real adb server on its own port. It knows only the devices that it is told to connect to. */
export class TestAdbServer {
  readonly port: number
  readonly #server: ChildProcess
  readonly #env: NodeJS.ProcessEnv
  #printed = ''
  #hasListened = false
  #isClosing = false

  private constructor(port: number, env: NodeJS.ProcessEnv) {
    this.port = port
    this.#env = env
    this.#server = spawn('adb', ['-P', String(port), 'server', 'nodaemon'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#server.stderr?.on('data', chunk => {
      this.#printed = `${this.#printed}${chunk}`.slice(-4000)
    })
    // Without this, a test would only say that its phone cannot be reached.
    this.#server.once('exit', (code, signal) => {
      if (!this.#isClosing && this.#hasListened)
        console.error(`The adb server ended by itself (${code ?? signal}):\n${this.#printed}`)
    })
  }

  /** Stores its keys in `home`. */
  static async start(home: string): Promise<TestAdbServer> {
    await installMissing([{ name: 'adb', file: '/usr/bin/adb', why: 'connects to devices' }])
    const none = { ADB_MDNS: '0', ADB_LOCAL_TRANSPORT_MAX_PORT: '5554' }
    const env = { ...process.env, HOME: home, ...none }
    for (;;) {
      const server = new TestAdbServer(await freePort(), env)
      if (await server.#listens()) return server
    }
  }

  /**
   * Returns whether the server has its port; if another program has taken the port in the meantime, it exits. The
   * socket is tried directly, because an adb client would start a server itself if none listens.
   */
  async #listens(): Promise<boolean> {
    const ended = new AbortController()
    this.#server.once('exit', () => ended.abort())
    let isListening = false
    await waitFor(async () => {
      isListening = await takesConnections(this.port)
      return isListening || ended.signal.aborted
    })
    this.#hasListened = !ended.signal.aborted
    return this.#hasListened
  }

  /** Whether it has crashed, which Debian's adb does at times when it disconnects a device that is in use. */
  async hasCrashed(): Promise<boolean> {
    return !(await takesConnections(this.port))
  }

  /** Resolves when the device at this address is connected. Its serial number is its address. */
  connect(address: string): Promise<void> {
    return waitFor(() => this.#reaches(address))
  }

  /** Runs `adb` and returns its output. */
  async run(...words: readonly string[]): Promise<Buffer> {
    const { stdout } = await run('adb', ['-P', String(this.port), ...words], {
      env: this.#env,
      encoding: 'buffer' as const,
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  }

  async close(): Promise<void> {
    if (this.#server.exitCode !== null || this.#server.signalCode !== null) return
    this.#isClosing = true
    const exit = once(this.#server, 'exit')
    this.#server.kill('SIGTERM')
    await exit
  }

  async #reaches(address: string): Promise<boolean> {
    try {
      await this.run('connect', address)
      return String(await this.run('-s', address, 'get-state')).trim() === 'device'
    } catch {
      return false
    }
  }
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
