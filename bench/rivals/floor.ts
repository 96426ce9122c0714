import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { awaitDesktop } from '../../packages/machines/src/engines/local/guest/desktop-ready.ts'
import { runCommand } from '../../packages/machines/src/engines/local/host/run-command.ts'

const script = join(import.meta.dirname, 'machines-floor.sh')

/** The time until the last of several is ready that are started at once. */
export async function floorAtOnce(root: string, dataDir: string, count: number): Promise<number> {
  const names = Array.from({ length: count }, (_, i) => `floor-${process.pid}-${i}-of-${count}`)
  const start = performance.now()
  const floors = await Promise.all(names.map(name => Floor.start(root, dataDir, name)))
  const tookMs = performance.now() - start
  await Promise.all(floors.map(floor => floor.stop()))
  return tookMs
}

/**
 * A desktop made only of the runtime, the X server and the window manager. It counts as ready by the same check as
 * the engine's.
 */
export class Floor {
  readonly tookMs: number
  readonly #folder: string
  readonly #name: string

  private constructor(folder: string, name: string, tookMs: number) {
    this.#folder = folder
    this.#name = name
    this.tookMs = tookMs
  }

  static async start(root: string, dataDir: string, name: string): Promise<Floor> {
    const folder = join(dataDir, name)
    await mkdir(join(folder, 'x11'), { recursive: true })
    const start = performance.now()
    const desktop = awaitDesktop(join(folder, 'x11'), false, AbortSignal.timeout(20_000))
    await Promise.all([desktop, runCommand(script, [root, folder, name])])
    return new Floor(folder, name, performance.now() - start)
  }

  async #runtime(...args: string[]): Promise<void> {
    await runCommand('runc', ['--root', join(this.#folder, 'runtime'), ...args])
  }

  /** The milliseconds that a program takes that does nothing, run with the runtime's own command. */
  async exec(): Promise<number> {
    const start = performance.now()
    await this.#runtime('exec', this.#name, 'true')
    return performance.now() - start
  }

  async stop(): Promise<void> {
    await this.#runtime('delete', '--force', this.#name)
    await rm(this.#folder, { recursive: true, force: true })
  }
}
