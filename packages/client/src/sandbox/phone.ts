import type { Parsed } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import type { Sandglass } from '../sandglass.ts'
import { BaseSandbox, type ParseOptions } from './base-sandbox.ts'
import { type ClientOptions, type CreateOptions, clientOf, createRunning } from './create.ts'
import { parseFields } from './parse-fields.ts'
import { PhoneApps } from './phone-apps.ts'
import { PhoneKeys } from './phone-keys.ts'
import { Touch } from './touch.ts'

/**
 * A phone, or the simulator of one.
 *
 * @example
 * await using phone = await Phone.create()
 * await phone.apps.open('notes')
 * await phone.touch.tap(360, 640)
 * const shot = await phone.screenshot()
 */
export class Phone extends BaseSandbox {
  readonly touch: Touch
  readonly apps: PhoneApps
  readonly keys: PhoneKeys
  protected readonly shellProgram = 'sh'

  private constructor(client: Sandglass, id: string, isOwned: boolean) {
    super(client, id, isOwned)
    this.touch = new Touch(this.target)
    this.apps = new PhoneApps(this.target)
    this.keys = new PhoneKeys(this.target)
  }

  /**
   * Creates a phone, and resolves when it runs. `await using` deletes it at the end of the block.
   *
   * @example
   * await using phone = await Phone.create({ shape: 'phone-simulator' })
   */
  static async create(options: CreateOptions = {}, call: CallOptions = {}): Promise<Phone> {
    const { client, info } = await createRunning(options, { name: 'phone-simulator', os: 'Android' }, call)
    return new Phone(client, info.id, true)
  }

  /**
   * Uses a phone that exists. Nothing is requested, so a wrong id shows with the first call. `await using` does not delete it.
   *
   * @example
   * const phone = Phone.connect(id)
   */
  static connect(id: string, options: ClientOptions = {}): Phone {
    return new Phone(clientOf(options), id, false)
  }

  override parse(type: string, text: string, options: ParseOptions = {}): Promise<Parsed> {
    return this.client.parseMobileUseModelTextOutput({ type, body: parseFields(text, options) }, options)
  }
}
