import type { Duplex } from 'node:stream'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { ExecSession } from '../client/exec/index.ts'
import { type IncusClient, IncusError } from '../client/index.ts'
import type { PushedImages } from '../images/pushed-images.ts'
import type { Members } from '../members.ts'
import type { Networks } from '../network/networks.ts'
import type { IncusSettings } from '../options.ts'
import { assign, becoming, type PreparedInstance } from '../prepared/prepared-instance.ts'
import type { PreparedInstances } from '../prepared/prepared-instances.ts'
import { kindOfSpec } from '../prepared/prepared-kind.ts'
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
/** How many members are tried that turn out to be drained. */
const memberTries = 3

export interface CreationParts {
  readonly client: IncusClient
  readonly settings: IncusSettings
  readonly instances: Instances
  readonly members: Members
  readonly images: PushedImages
  readonly networks: Networks
  readonly prepared: PreparedInstances
  /** Opens a byte stream to the end of the channel of a machine that was just started. */
  readonly connect: (id: string) => Promise<Duplex>
  /** Ends a session with a machine when the machine cannot be reached any more. */
  readonly watch: (id: string, session: ExecSession) => void
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
    const { images, instances, prepared } = this.#parts
    // A cluster that cannot run it says so before an image is pushed.
    const member = await this.#chosen(spec)
    const fingerprint = isVirtualMachine(spec)
      ? await images.fingerprintOfVirtual(spec.image, signal)
      : await images.fingerprintOf(spec.image, signal)
    const make = () => this.make(spec, { source: { type: 'image', fingerprint } }, signal)
    if (isVirtualMachine(spec)) return await make()
    if (instances.names.ofHandle(spec.id) !== undefined) throw taken(spec)
    const kind = kindOfSpec(fingerprint, spec)
    await prepared.during(kind, spec.owner, async () => {
      if (!(await this.#becomes(spec, prepared.take(kind, member), signal))) await make()
    })
  }

  async prepareLike(spec: MachineSpec): Promise<void> {
    const fingerprint = await this.#parts.images.fingerprintOf(spec.image)
    await this.#parts.prepared.stockUp(kindOfSpec(fingerprint, spec))
  }

  /** Makes a machine of a prepared instance. Returns false if there is none, or if it cannot be reached. */
  async #becomes(
    spec: MachineSpec,
    prepared: PreparedInstance | undefined,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (!prepared) return false
    const { client, instances, settings, watch } = this.#parts
    const { id } = spec
    watch(id, prepared.session)
    instances.names.set(id, prepared.name)
    let isReached = false
    try {
      signal?.throwIfAborted()
      const change = becoming(spec, settings.pool, prepared)
      const stream = assign(spec, settings.pool, prepared)
      const note = async () => {
        isReached = true
        if (await instances.find(instanceOf(id))) throw taken(spec)
        await client.send('PATCH', `/instances/${prepared.name}`, change)
      }
      await this.#ready(id, signal, note, stream)
      return true
    } catch (error) {
      prepared.session.close()
      const removed = instances.remove(prepared.name)
      instances.names.drop(id)
      if (isReached || signal?.aborted) {
        await removed
        throw error
      }
      // Its member may be away. What is left is found by a sweep.
      removed.catch(() => {})
      return false
    }
  }

  /** Creates a machine whose disk comes from a source. */
  async make(spec: MachineSpec, from: InstanceSource, signal?: AbortSignal): Promise<void> {
    const { instances } = this.#parts
    signal?.throwIfAborted()
    await this.#addSomewhere(spec, from)
    try {
      signal?.throwIfAborted()
      // Incus takes as long for this as the window manager does to start.
      await this.#ready(spec.id, signal, () => instances.configure(spec.id, readyConfig(spec)))
    } catch (error) {
      await instances.remove(instanceOf(spec.id))
      throw error
    }
  }

  /** A member may be drained since the cluster was asked last. */
  async #addSomewhere(spec: MachineSpec, from: InstanceSource): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        await this.#add(spec, from, { name: instanceOf(spec.id), member: await this.#chosen(spec) })
        return
      } catch (error) {
        if (!isDrained(error) || tries === memberTries) throw error
        await this.#parts.members.look()
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
        if (isTaken(error)) throw taken(spec)
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

  async #ready(
    id: string,
    signal?: AbortSignal,
    beside?: () => Promise<void>,
    first?: Duplex,
  ): Promise<void> {
    const { connect, settings } = this.#parts
    const timeout = AbortSignal.timeout(settings.readyTimeoutMs)
    const streams = first === undefined ? [] : [first]
    const dial = async () => streams.pop() ?? (await connect(id))
    const guest = new MuxGuest({ dial, isAwake: async () => true })
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

const taken = ({ id }: MachineSpec) => new MachineError('STATE', `there is a machine ${id} already`)

/** What is there was not made by this call, and must stay. */
const isTaken = (error: unknown) => error instanceof IncusError && error.code === 'EXISTS'

const isDrained = (error: unknown) => error instanceof IncusError && /member is evacuated/i.test(error.reason)

const isAddressTaken = (error: unknown) =>
  error instanceof IncusError && /address .*already|already .*address/i.test(error.reason)
