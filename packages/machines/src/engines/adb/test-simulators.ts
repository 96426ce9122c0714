import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import { buildImage } from '../../images/build-image.ts'
import type { LocalEngine } from '../local/local-engine.ts'
import { type TestEngine, testEngine, testSpec } from '../local/test-engine.ts'

/** Android lets a shell reboot the phone, so the simulator gets this command. */
const rebootCommand = '#!/bin/sh\nexec sudo kill -TERM 1\n'

/**
 * A phone simulator in its own machine, whose adbd is reachable on a port of this host. It boots again after a
 * reboot.
 */
export class TestSimulator {
  readonly #engine: LocalEngine
  readonly #handle: MachineHandle
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #machine: Machine | undefined
  #isOn = true
  #starting = Promise.resolve()

  private constructor(engine: LocalEngine, handle: MachineHandle) {
    this.#engine = engine
    this.#handle = handle
    this.#server = createServer(socket => void this.#forward(socket))
  }

  static async start(engine: LocalEngine): Promise<TestSimulator> {
    const screen = { width: 720, height: 1280 }
    const spec = testSpec({ image: 'phone', cpus: 2, memoryMiB: 1024, diskMiB: 1024, screen })
    const simulator = new TestSimulator(engine, await engine.create(spec))
    await simulator.#open()
    await simulator.install('reboot', rebootCommand)
    simulator.#server.listen(0, '127.0.0.1')
    await once(simulator.#server, 'listening')
    return simulator
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Installs a command for its shell. */
  async install(name: string, script: string): Promise<void> {
    const options = { user: 'root', mode: 0o755 }
    await this.#machine?.files.write(`/usr/local/bin/${name}`, Buffer.from(script), options)
  }

  async powerOff(): Promise<void> {
    this.#isOn = false
    await this.#machine?.exec({ executable: 'kill', args: ['-TERM', '1'], user: 'root' }).catch(() => {})
  }

  async powerOn(): Promise<void> {
    if (this.#isOn) return
    this.#isOn = true
    await this.#boot()
  }

  async close(): Promise<void> {
    this.#isOn = false
    await this.#starting
    this.#machine?.close()
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  async #open(): Promise<void> {
    const machine = await this.#engine.open(this.#handle)
    this.#machine = machine
    void machine.died.then(() => {
      this.#machine = undefined
      if (this.#isOn) this.#starting = this.#boot()
    })
  }

  async #boot(): Promise<void> {
    await this.#engine.restart(this.#handle)
    await this.#open()
  }

  async #forward(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    try {
      if (!this.#machine) throw new Error('the simulator is off')
      const device = await this.#machine.dial('tcp:127.0.0.1:5555')
      device.on('error', () => {}).on('close', () => socket.destroy())
      socket.on('close', () => device.destroy())
      socket.pipe(device).pipe(socket)
    } catch {
      socket.destroy()
    }
  }
}

export interface TestSimulators {
  readonly simulators: readonly TestSimulator[]
  dispose(): Promise<void>
}

/** Starts simulators and waits until they are up. */
export async function testSimulators(count: number): Promise<TestSimulators> {
  const test: TestEngine = await testEngine()
  const { imagesDir } = test.options
  const engine = test.open()
  const simulators: TestSimulator[] = []
  const dispose = async () => {
    for (const simulator of simulators) await simulator.close()
    await engine.close()
    await test.dispose()
  }
  try {
    await buildImage('phone', { imagesDir: imagesDir ?? '' })
    for (let index = 0; index < count; index++) simulators.push(await TestSimulator.start(engine))
    return { simulators, dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
