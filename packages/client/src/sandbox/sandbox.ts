import type { Parsed } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import type { Input } from '../operations.ts'
import type { Sandglass } from '../sandglass.ts'
import { BaseSandbox, type ParseOptions } from './base-sandbox.ts'
import { Browser } from './browser.ts'
import { type ClientOptions, type CreateOptions, clientOf, createRunning } from './create.ts'
import { DesktopApps } from './desktop-apps.ts'
import { type ForkOptions, forkRunning } from './fork.ts'
import { Mouse } from './mouse.ts'
import { parseFields } from './parse-fields.ts'
import type { SandboxInfo } from './running.ts'

export interface ListOptions
  extends ClientOptions,
    Pick<Input<'listSandboxes'>, 'status' | 'project' | 'label' | 'ended'> {}

/**
 * A desktop.
 *
 * @example
 * await using box = await Sandbox.create()
 * await box.mouse.click(640, 360)
 * const shot = await box.screenshot()
 * const { stdout } = await box.run('uname -a')
 */
export class Sandbox extends BaseSandbox {
  readonly mouse: Mouse
  readonly apps: DesktopApps
  readonly browser: Browser
  protected readonly shellProgram = 'bash'

  private constructor(client: Sandglass, id: string, isOwned: boolean) {
    super(client, id, isOwned)
    this.mouse = new Mouse(this.target)
    this.apps = new DesktopApps(this.target)
    this.browser = new Browser(this.target)
  }

  /**
   * Creates a sandbox, and resolves when it runs. `await using` deletes it at the end of the block.
   *
   * @example
   * await using box = await Sandbox.create({ shape: 'linux-desktop-large', lifeSeconds: 600, labels: { job: '42' } })
   */
  static async create(options: CreateOptions = {}, call: CallOptions = {}): Promise<Sandbox> {
    const { client, info } = await createRunning(options, { name: 'linux-desktop', os: 'Linux' }, call)
    return new Sandbox(client, info.id, true)
  }

  /**
   * Uses a sandbox that exists. Nothing is requested, so a wrong id shows with the first call. `await using` does not delete it.
   *
   * @example
   * const box = Sandbox.connect(id)
   */
  static connect(id: string, options: ClientOptions = {}): Sandbox {
    return new Sandbox(clientOf(options), id, false)
  }

  /**
   * Lists the sandboxes of the organization, also phones.
   *
   * @example
   * for await (const { id, name } of Sandbox.list({ status: 'RUNNING', label: 'job=42' })) console.log(id, name)
   */
  static list(options: ListOptions = {}, call: CallOptions = {}): AsyncGenerator<SandboxInfo> {
    const { status, project, label, ended, ...rest } = options
    return clientOf(rest).all('listSandboxes', { status, project, label, ended, limit: 1000 }, call)
  }

  /**
   * Creates another sandbox whose disk starts as the disk of this one is now.
   *
   * @example
   * await using copy = await box.fork()
   */
  async fork(options: ForkOptions = {}): Promise<Sandbox> {
    const [copy] = await this.forks(1, options)
    if (!copy) throw new TypeError('A fork of one has one result.')
    return copy
  }

  /**
   * Creates several sandboxes whose disks start as the disk of this one is now, all from the same moment.
   *
   * @example
   * const copies = await box.forks(3)
   */
  async forks(count: number, options: ForkOptions = {}): Promise<Sandbox[]> {
    const ids = await forkRunning(this.target, count, options)
    return ids.map(id => new Sandbox(this.client, id, true))
  }

  override parse(type: string, text: string, options: ParseOptions = {}): Promise<Parsed> {
    return this.client.parseModelTextOutput({ type, body: parseFields(text, options) }, options)
  }
}
