import type { Duplex } from 'node:stream'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import { type IncusClient, IncusError } from '../client/index.ts'
import type { PushedImages } from '../images/pushed-images.ts'
import type { Members } from '../members.ts'
import type { Networks } from '../network/networks.ts'
import type { IncusSettings } from '../options.ts'
import { awaitReady } from './await-ready.ts'
import { chooseMember } from './choose-member.ts'
import { instanceOf, nextOf } from './instance.ts'
import { instanceBody, readyConfig } from './instance-body.ts'
import type { Instances } from './instances.ts'
import { isVirtualMachine } from './kind.ts'
import { MuxGuest } from './mux-guest.ts'
import { validateClusterSpec } from './validate-cluster-spec.ts'

/** An image or a disk that the member does not have is sent to it, which takes as long as its network does. */
const createDeadlineMs = 600_000
/** How often another address is tried if one is taken. */
const addressTries = 8

export interface CreationParts {
  readonly client: IncusClient
  readonly settings: IncusSettings
  readonly instances: Instances
  readonly members: Members
  readonly images: PushedImages
  readonly networks: Networks
  /** Opens a byte stream to the end of the channel of a machine that was just started. */
  readonly connect: (id: string) => Promise<Duplex>
}

/** What an instance is made from, as Incus names it. */
export interface InstanceSource {
  readonly source: object
  /** Needed if the source is an instance of another member. */
  readonly architecture?: string
}

/** Creates machines and starts them. */
export class Creation {
  readonly #parts: CreationParts

  constructor(parts: CreationParts) {
    this.#parts = parts
  }

  async prepareImage(image: string, signal?: AbortSignal): Promise<void> {
    await this.#parts.images.fingerprintOf(image, signal)
  }

  /** Resolves when the desktop can be used. If it fails or is aborted, nothing is left. */
  async create(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    validateClusterSpec(spec)
    const { images } = this.#parts
    // A cluster that cannot run it says so before an image is pushed.
    await this.#chosen(spec)
    const fingerprint = isVirtualMachine(spec)
      ? await images.fingerprintOfVirtual(spec.image, signal)
      : await images.fingerprintOf(spec.image, signal)
    await this.make(spec, { source: { type: 'image', fingerprint } }, signal)
  }

  /** Creates a machine whose disk comes from a source. */
  async make(spec: MachineSpec, from: InstanceSource, signal?: AbortSignal): Promise<void> {
    const { instances } = this.#parts
    signal?.throwIfAborted()
    await this.#add(spec, from, { name: instanceOf(spec.id), member: await this.#chosen(spec) })
    try {
      signal?.throwIfAborted()
      // Incus takes as long for this as the window manager does to start.
      await this.#ready(spec.id, signal, () => instances.configure(spec.id, readyConfig(spec)))
    } catch (error) {
      await instances.remove(instanceOf(spec.id))
      throw error
    }
  }

  /** Creates what is to take the place of a machine, on the member that has the machine, without starting it. */
  async prepareNext(spec: MachineSpec, from: InstanceSource, member: string): Promise<void> {
    await this.#add(spec, from, { name: nextOf(spec.id), start: false, member }, readyConfig(spec))
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    await this.#parts.instances.start(id, signal)
    await this.#ready(id, signal)
  }

  /** Not aborted, because Incus would go on: what it makes is removed after that. */
  async #add(
    spec: MachineSpec,
    from: InstanceSource,
    {
      member,
      ...own
    }: { readonly name: string; readonly member: string | undefined; readonly start?: boolean },
    config: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { client, settings, networks, instances } = this.#parts
    const path = `/instances${this.#target(member)}`
    for (let tries = 1; ; tries++) {
      const usual = instanceBody(spec, settings.pool, await networks.linkFor(spec.egress))
      const body = { ...usual, ...from, ...own, config: { ...usual.config, ...config } }
      try {
        await client.run('POST', path, body, { deadlineMs: createDeadlineMs })
        return
      } catch (error) {
        if (isTaken(error)) throw new MachineError('STATE', `there is a machine ${spec.id} already`)
        await instances.remove(own.name)
        if (!isAddressTaken(error) || tries === addressTries) throw error
      }
    }
  }

  /** The member for a new machine; undefined if Incus is to choose. */
  async #chosen(spec: MachineSpec): Promise<string | undefined> {
    const { members, instances, settings } = this.#parts
    const known = await members.known()
    // Without an answer of the cluster nothing is known, and the create itself says why.
    if (known.length === 0) return spec.place?.member
    const countOn = (member: string) => instances.countOn(member)
    return chooseMember(spec, { members: known, group: settings.group, countOn })
  }

  #target(member: string | undefined): string {
    const { group } = this.#parts.settings
    if (member !== undefined) return `?target=${encodeURIComponent(member)}`
    return group === undefined ? '' : `?target=@${encodeURIComponent(group)}`
  }

  async #ready(id: string, signal?: AbortSignal, beside?: () => Promise<void>): Promise<void> {
    const { connect, settings } = this.#parts
    const timeout = AbortSignal.timeout(settings.readyTimeoutMs)
    const guest = new MuxGuest({ dial: () => connect(id), isAwake: async () => true })
    try {
      await awaitReady(guest, false, AbortSignal.any([timeout, ...(signal ? [signal] : [])]), beside)
    } catch (cause) {
      signal?.throwIfAborted()
      if (!timeout.aborted) throw cause
      throw new MachineError(
        'MACHINE_FAILED',
        `the desktop of machine ${id} was not ready within ${settings.readyTimeoutMs} ms`,
        { cause },
      )
    } finally {
      guest.close()
    }
  }
}

/** What is there was not made by this call, and must stay. */
const isTaken = (error: unknown) => error instanceof IncusError && error.code === 'EXISTS'

const isAddressTaken = (error: unknown) =>
  error instanceof IncusError && /address .*already|already .*address/i.test(error.reason)
