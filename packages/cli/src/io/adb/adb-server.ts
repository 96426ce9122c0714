import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CliError } from '../../failures.ts'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

/** How often it is checked whether the server accepts connections. */
const pollMs = 20
/** How long adb may take to know a phone that it is connected to. */
const deviceTimeoutMs = 20_000

/** An adb server of its own, with one phone, so that the one of the person is not disturbed. */
export class AdbServer implements AsyncDisposable {
  readonly port: number
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, port: number) {
    this.#process = process
    this.port = port
  }

  static async start(): Promise<AdbServer> {
    const port = await freePort()
    // By default, a server looks for emulators on the ports of this computer.
    const env = { ...process.env, ADB_LOCAL_TRANSPORT_MAX_PORT: '5553', ADB_MDNS: '0' }
    const server = spawn('adb', ['-P', String(port), 'nodaemon', 'server'], { stdio: 'ignore', env })
    try {
      await once(server, 'spawn')
    } catch {
      throw new CliError(
        'adb is not installed on this computer.',
        'Install it: `apt install adb` on Debian and Ubuntu, `brew install android-platform-tools` on macOS.',
      )
    }
    const started = new AdbServer(server, port)
    await started.#untilListening()
    return started
  }

  /** Connects to a phone at an address, and returns when it can be used. */
  async connect(address: string, signal: AbortSignal): Promise<void> {
    const { stdout } = await this.#run(['connect', address], signal)
    if (!/^(already )?connected/.test(stdout))
      throw new CliError(`adb could not connect to the phone: ${stdout.trim()}`)
    await this.#run(['-s', address, 'wait-for-device'], signal).catch(cause => {
      if (signal.aborted) throw signal.reason
      throw new CliError(
        'The phone does not accept the connection of adb.',
        String(cause.stderr ?? '').trim(),
      )
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#process
    if (exitCode !== null || signalCode !== null) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
  }

  #run(args: readonly string[], signal: AbortSignal) {
    return run('adb', ['-P', String(this.port), ...args], { signal, timeout: deviceTimeoutMs })
  }

  async #untilListening(): Promise<void> {
    while (!(await accepts(this.port))) {
      if (this.#process.exitCode !== null)
        throw new CliError('The adb server ended at once.', 'Run `adb nodaemon server` to see why.')
      await setTimeout(pollMs)
    }
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
