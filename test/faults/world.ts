import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { settle } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import { openPool, type Pool } from '../../packages/server/src/db/database.ts'
import { embeddedAddress } from '../../packages/server/src/db/embedded/server.ts'
import { MachineInstallation } from '../support/machine-installation.ts'
import { temporaryFolder } from '../support/service-process.ts'
import { type Answer, type Asked, Calls } from './calls.ts'

/** The images that the sandbox of a world may use. */
export type Image = 'minimal' | 'desktop' | 'phone'

const small = {
  description: 'For tests.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  name: 'small',
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  diskMiB: 512,
  pids: 256,
}

const shapes = {
  minimal: small,
  desktop: { ...small, name: 'desktop', image: 'desktop', memoryMiB: 2048, diskMiB: 2048, pids: 1024 },
  phone: {
    ...small,
    name: 'phone',
    image: 'phone',
    simulatesPhone: true,
    memoryMiB: 1024,
    screen: { width: 720, height: 1280 },
  },
}

export interface WorldOptions {
  readonly image?: Image
  readonly data?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * For a world on a small disk of its own. The frames of workers and the screenshots would take most of it. What machines are promised is
 * allocated, as by default.
 */
export const ownDisk = {
  SANDGLASS_WORKERS: '2',
  SANDGLASS_SCREENSHOTS_PER_NODE: '1024',
  SANDGLASS_DISK_OVERCOMMIT: '1',
}

/** A service with one sandbox, into whose processes the faults are injected. */
export class World {
  readonly installation: MachineInstallation
  readonly image: Image
  readonly calls: Calls
  readonly sandboxId: string
  readonly machineId: string
  /** When a process was last killed that had screenshots which were not stored. They may be lost, as the docs say. */
  framesLostAtMs = Number.NEGATIVE_INFINITY

  private constructor(
    installation: MachineInstallation,
    image: Image,
    calls: Calls,
    sandboxId: string,
    machineId: string,
  ) {
    this.installation = installation
    this.image = image
    this.calls = calls
    this.sandboxId = sandboxId
    this.machineId = machineId
  }

  static async start({ image = 'minimal', env = {}, ...options }: WorldOptions = {}): Promise<World> {
    const data = options.data ?? (await temporaryFolder())
    const file = join(data, 'shapes.json')
    const offered = image === 'minimal' ? [small] : [small, shapes[image]]
    await writeFile(file, JSON.stringify({ shapes: offered }))
    const installation = await MachineInstallation.start({
      data,
      shapes: file,
      images: offered.map(shape => shape.image),
      env: { SANDGLASS_LIVE_UDP_PORT: '0', ...env },
    })
    const calls = new Calls(installation)
    const create = {
      what: 'createSandbox',
      method: 'POST',
      path: '~/sandboxes',
      isAudited: true,
      json: { shapeName: shapes[image].name, name: 'main', maxLifeSeconds: 86_400 },
    }
    let made: Answer | undefined
    // The service responds while the image is still being prepared.
    await waitFor(async () => {
      made = await calls.ask(create)
      return made.status !== 503
    })
    assert.equal(made?.status, 200, JSON.stringify(made?.body))
    const sandboxId: string = made?.body.id
    const world = new World(installation, image, calls, sandboxId, await machineOf(installation, sandboxId))
    await waitFor(async () => (await world.status()) === 'RUNNING')
    return world
  }

  /** A URL of the sandbox; `path` begins with a slash and is relative to it. */
  ask(asked: Asked): Promise<Answer> {
    const path = asked.path.startsWith('/') ? `~/sandboxes/${this.sandboxId}${asked.path}` : asked.path
    return this.calls.ask({ ...asked, path })
  }

  async status(): Promise<string> {
    const { body } = await this.ask({ what: 'getSandboxStatus', method: 'GET', path: '/status' })
    return body?.status ?? 'unknown'
  }

  /** Runs a script in the machine and returns its output; undefined if it could not be run. */
  async run(script: string): Promise<string | undefined> {
    const { status, body } = await this.ask({
      what: 'execSandboxProcess',
      method: 'POST',
      path: '/process',
      isAudited: true,
      json: { executable: 'sh', args: ['-c', script] },
    })
    return status === 200 ? Buffer.from(body.stdoutBase64, 'base64').toString() : undefined
  }

  get engine() {
    return settle(this.installation.engineOptions)
  }

  /** Connects to the database only for the duration of the work, so that no fault hits a connection of the test. */
  async withDatabase<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    return withDatabase(this.installation, work)
  }
}

async function withDatabase<T>({ data }: MachineInstallation, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

function machineOf(installation: MachineInstallation, sandboxId: string): Promise<string> {
  return withDatabase(installation, async ({ db }) => {
    const row = await db
      .selectFrom('sandboxes')
      .select('machine_id')
      .where('id', '=', sandboxId)
      .executeTakeFirstOrThrow()
    assert.ok(row.machine_id)
    return row.machine_id
  })
}
