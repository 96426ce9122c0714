import { join } from 'node:path'
import { buildImage } from '@sandglass/machines/images'
import { installMissing, LocalEngine, type LocalEngineOptions } from '@sandglass/machines/local'
import { freePort } from '@sandglass/machines/testing'
import { openPool, type Pool } from '../../packages/server/src/db/database.ts'
import { embeddedAddress } from '../../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { testImages, testShapes } from '../../packages/server/src/testing/test-machines.ts'
import { sparseDisks } from './machine-process.ts'
import { type Credentials, ServiceProcess, temporaryFolder } from './service-process.ts'

export interface InstallationOptions {
  /** The data directory; a temporary folder by default. */
  readonly data?: string
  /** The catalogue of shapes; the one for tests by default. */
  readonly shapes?: string
  /** Images that are built before the service starts. */
  readonly images?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A service as a process with real machines. It keeps its address when it is restarted. */
export class MachineInstallation {
  readonly data: string
  readonly engineOptions: LocalEngineOptions
  readonly #env: Readonly<Record<string, string>>
  #service: ServiceProcess
  #credentials: Credentials

  private constructor(
    data: string,
    engineOptions: LocalEngineOptions,
    env: Readonly<Record<string, string>>,
    service: ServiceProcess,
    credentials: Credentials,
  ) {
    this.data = data
    this.engineOptions = engineOptions
    this.#env = env
    this.#service = service
    this.#credentials = credentials
  }

  static async start(options: InstallationOptions = {}): Promise<MachineInstallation> {
    await installMissing()
    for (const image of options.images ?? ['minimal']) await buildImage(image, { imagesDir: testImages })
    const data = options.data ?? (await temporaryFolder())
    const engineOptions = { dataDir: join(data, 'local'), imagesDir: testImages, uplink: 'none' } as const
    cleanup.defer(() => new LocalEngine(engineOptions).dismantle())
    const env = {
      SANDGLASS_PORT: String(await freePort()),
      SANDGLASS_MACHINES: 'local',
      SANDGLASS_VMS: 'off',
      SANDGLASS_START_TIMEOUT: '120',
      SANDGLASS_UPLINK: 'none',
      SANDGLASS_IMAGES: testImages,
      SANDGLASS_SHAPES: options.shapes ?? (await testShapes(data, 0)),
      ...sparseDisks,
      // Tests poll more often than any caller should.
      SANDGLASS_RATE_LIMIT: '1000000',
      ...options.env,
    }
    const service = await ServiceProcess.start(data, env)
    const credentials = await service.credentials()
    return new MachineInstallation(data, engineOptions, env, service, credentials)
  }

  get service(): ServiceProcess {
    return this.#service
  }

  get credentials(): Credentials {
    return this.#credentials
  }

  /** Starts the service again after it has exited, as the init system of a host would. */
  async startAgain(): Promise<void> {
    this.#service = await ServiceProcess.start(this.data, this.#env)
    this.#credentials = await this.#service.credentials()
  }

  /** Stops the service and destroys its machines, before the tests of the file have ended. */
  async end(): Promise<void> {
    this.#service.signal('SIGTERM')
    await this.#service.exit()
    await new LocalEngine(this.engineOptions).dismantle()
  }

  /** A separate connection to its database, closed after the tests of the file. */
  openDatabase(): Pool {
    const pool = openPool(embeddedAddress(join(this.data, 'postgres')), () => {})
    cleanup.defer(() => pool.close())
    return pool
  }
}
