import { join } from 'node:path'
import { buildImage } from '@sandglass/machines/images'
import { installMissing, LocalEngine, type LocalEngineOptions } from '@sandglass/machines/local'
import { openPool, type Pool } from '../../packages/server/src/db/database.ts'
import { embeddedAddress } from '../../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { testImages, testShapes } from '../../packages/server/src/testing/test-machines.ts'
import { freePort } from './free-port.ts'
import { type Credentials, ServiceProcess, temporaryFolder } from './service-process.ts'

export interface InstallationOptions {
  /** A data directory of the caller's; a temporary folder unless given. */
  readonly data?: string
  /** A catalogue of shapes; that of the other tests unless given. */
  readonly shapes?: string
  /** Built before the service starts. */
  readonly images?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A service as a process with real machines, which comes back at the same address when it is started again. */
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
      SANDGLASS_UPLINK: 'none',
      SANDGLASS_IMAGES: testImages,
      SANDGLASS_SHAPES: options.shapes ?? (await testShapes(data, 0)),
      // Tests ask again and again for what they wait for, and more often than any caller should.
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

  /** Starts the service once more after it has ended, as the init system of a host would. */
  async startAgain(): Promise<void> {
    this.#service = await ServiceProcess.start(this.data, this.#env)
    this.#credentials = await this.#service.credentials()
  }

  /** A connection to its database beside the service; it is closed after the tests of the file. */
  openDatabase(): Pool {
    const pool = openPool(embeddedAddress(join(this.data, 'postgres')), () => {})
    cleanup.defer(() => pool.close())
    return pool
  }
}
