import { join } from 'node:path'
import { openDoor } from '../support/namespace-door.ts'
import { type Credentials, ServiceProcess } from '../support/service-process.ts'

export interface FrontOptions {
  readonly name: string
  /** The port that it listens on in its namespace. */
  readonly port: number
  readonly folder: string
  readonly netns: string
  readonly env: Readonly<Record<string, string>>
}

/** One of several services on a cluster. It is a process in the namespace from which the members can be reached. */
export class Front {
  readonly #options: FrontOptions
  readonly #url: string
  readonly #credentials: Credentials
  #service: ServiceProcess
  #isUp = true

  private constructor(o: FrontOptions, url: string, service: ServiceProcess, credentials: Credentials) {
    this.#options = o
    this.#url = url
    this.#service = service
    this.#credentials = credentials
  }

  /** @param known the credentials that another front has, because only the first one of a database writes them */
  static async start(o: FrontOptions, known?: Credentials): Promise<Front> {
    const url = await openDoor(o.netns, o.port, o.folder)
    const service = await serve(o, url)
    return new Front(o, url, service, known ?? (await service.credentials()))
  }

  get name(): string {
    return this.#options.name
  }

  get data(): string {
    return dataOf(this.#options)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  get printed(): string {
    return this.#service.printed
  }

  get credentials(): Credentials {
    return { ...this.#credentials, url: this.#url }
  }

  async kill(): Promise<void> {
    this.#isUp = false
    await this.#service.kill()
  }

  async startAgain(): Promise<void> {
    this.#service = await serve(this.#options, this.#url)
    this.#isUp = true
  }
}

const dataOf = ({ folder, name }: FrontOptions) => join(folder, name)

async function serve(o: FrontOptions, url: string): Promise<ServiceProcess> {
  const own = { SANDGLASS_PORT: String(o.port), SANDGLASS_PUBLIC_URL: url }
  // The others reach it in the namespace that they share.
  const peers = { SANDGLASS_NODE_URL: `http://127.0.0.1:${o.port}` }
  return await ServiceProcess.start(dataOf(o), { ...o.env, ...own, ...peers }, o.netns)
}
