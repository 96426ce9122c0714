import type { Duplex } from 'node:stream'
import { KeyedMutex } from '@sandglass/supervision'
import { z } from 'zod'
import type { Abortable } from '../../contract/abortable.ts'
import type {
  Capabilities,
  Capacity,
  Engine,
  EngineHealth,
  ListedMachine,
  MachineState,
} from '../../contract/engine.ts'
import { MachineError } from '../../contract/errors.ts'
import type { MachineFigures } from '../../contract/figures.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import type { EngineMember } from '../../contract/members.ts'
import { defaultScreen, type MachineSpec } from '../../contract/spec.ts'
import { read } from './client/answers.ts'
import { IncusClient } from './client/index.ts'
import { engineName, handleOf } from './handle.ts'
import { PushedImages } from './images/pushed-images.ts'
import { capacityOf, isFull, takers } from './machine/capacity.ts'
import { Creation } from './machine/creation.ts'
import { figuresOf } from './machine/figures.ts'
import { followMachines } from './machine/follow-machines.ts'
import type { KeptSpec } from './machine/instance.ts'
import { Instances } from './machine/instances.ts'
import { machinesOf } from './machine/listing.ts'
import { openClusterMachine } from './machine/open-machine.ts'
import { OpenStreams } from './machine/open-streams.ts'
import { ClusterReach } from './machine/reach.ts'
import { runningSpecOf } from './machine/running-spec.ts'
import { SessionNames } from './machine/session-names.ts'
import { Members } from './members.ts'
import { Networks } from './network/networks.ts'
import { type IncusEngineOptions, type IncusSettings, settleIncus } from './options.ts'
import { PreparedInstances } from './prepared/prepared-instances.ts'
import { IncusSnapshots } from './snapshots/incus-snapshots.ts'

/**
 * Connects to the end of a machine's channel, which connects streams to its sockets. Disks that were saved by an earlier version do not
 * have it running.
 */
const channelScript = `socket=/run/sandglass/channel
[ ! -S $socket ] || exec "$0/join-channel" $socket "$1"
exec python3 -ISB "$0/channel.py" -`
const channelCommand = ['/bin/sh', '-c', channelScript, '/usr/lib/sandglass/guest']
const Server = z.object({ environment: z.object({ certificate_fingerprint: z.string() }) })

/** Machines in a cluster of Incus, which places them on its members. */
export class IncusEngine implements Engine {
  readonly name = engineName
  readonly scope = 'shared'
  readonly capabilities: Capabilities = {
    pause: true,
    egress: true,
    egressNames: false,
    halfClose: true,
    saveMemory: false,
  }
  readonly settings: IncusSettings
  readonly snapshots: IncusSnapshots
  readonly #client: IncusClient
  readonly #instances: Instances
  readonly #members: Members
  readonly #creation: Creation
  readonly #prepared: PreparedInstances
  readonly #mutex = new KeyedMutex()
  readonly #open = new Set<{ close(): void }>()
  readonly #streams = new OpenStreams(id => this.#instances.isPaused(id) || this.#instances.isStill(id))
  readonly #events: { close(): void }
  readonly cluster?: string
  onMembersChange: (() => void) | undefined

  constructor(options: IncusEngineOptions, cluster?: string) {
    this.settings = settleIncus(options)
    if (cluster !== undefined) this.cluster = cluster
    const { address, project, imagesDir } = this.settings
    this.#client = new IncusClient(address, { project })
    this.#members = new Members(this.#client, this.settings)
    this.#instances = new Instances(this.#client, this.#members)
    const networks = new Networks(this.#client, this.settings)
    // Incus refuses to change an access list while a member is offline. It is tried again the next time.
    this.#members.onListed = members => {
      void networks.follow(members).catch(() => {})
      const others = this.#members.latest.filter(({ status }) => status !== 'online')
      this.#prepared.giveUp(new Set(others.map(({ name }) => name)))
    }
    this.#members.onAway = members => this.#giveUp(members)
    this.#members.onChange = () => this.onMembersChange?.()
    this.#events = followMachines(this.#client, this.#instances.names, {
      paused: id => this.#instances.notePaused(id, true),
      resumed: id => this.#instances.notePaused(id, false),
      ended: id => this.#streams.end(streamed => streamed === id),
    })
    this.#prepared = new PreparedInstances({
      client: this.#client,
      settings: this.settings,
      instances: this.#instances,
      members: this.#members,
      networks,
    })
    this.#creation = new Creation({
      client: this.#client,
      settings: this.settings,
      instances: this.#instances,
      members: this.#members,
      images: new PushedImages(this.#client, imagesDir),
      networks,
      connect: id => this.#connect(id),
      watch: (id, session) => this.#streams.add(id, session),
      prepared: this.#prepared,
    })
    this.snapshots = new IncusSnapshots({
      client: this.#client,
      instances: this.#instances,
      members: this.#members,
      creation: this.#creation,
      mutex: this.#mutex,
    })
  }

  /** Opens the engine once the cluster has said which one it is. */
  static async open(options: IncusEngineOptions): Promise<IncusEngine> {
    const client = new IncusClient(options.address)
    try {
      const { environment } = read(Server, await client.get(''), 'what it is')
      const { project } = settleIncus(options)
      return new IncusEngine(options, `${environment.certificate_fingerprint}/${project}`)
    } finally {
      client.close()
    }
  }

  /** Pushes an image to the cluster, so that the first machine does not wait for it. */
  async prepareImage(image: string, { signal }: Abortable = {}): Promise<void> {
    await this.#creation.prepareImage(image, signal)
  }

  /** Prepares instances for machines like this one, as creates do for those that follow. Resolves when there are as many as are kept. */
  async prepare(spec: MachineSpec): Promise<void> {
    await this.#creation.prepareLike(spec)
  }

  async create(spec: MachineSpec, { signal }: Abortable = {}): Promise<MachineHandle> {
    await this.#mutex.run(spec.id, () => this.#creation.create(spec, signal))
    return handleOf(spec.id, this.#instances.names.ofHandle(spec.id))
  }

  async health(): Promise<EngineHealth> {
    const { problem } = this.#members
    return problem === undefined ? { ready: true, unavailable: {} } : { ready: false, reason: problem }
  }

  async capacity(diskMiB: number): Promise<Capacity> {
    return capacityOf(takers(await this.#members.known(), this.settings.group), diskMiB)
  }

  async members(): Promise<readonly EngineMember[]> {
    const members = await this.#members.known()
    return members.map(member => {
      const { groups: _, hasVirtualMachines: __, ...shown } = member
      const machines = this.#instances.countOn(member.name)
      return { ...shown, machines, ...(isFull(member) && { fits: 0 }) }
    })
  }

  memberOf(handle: MachineHandle): string | undefined {
    return this.#instances.memberOf(this.#instances.idOf(handle))
  }

  async open(handle: MachineHandle): Promise<Machine> {
    const id = this.#instances.idOf(handle)
    const { screen = defaultScreen } = await this.#running(id)
    const sessions = new SessionNames()
    const machine = await openClusterMachine({
      handle,
      screenSize: screen,
      dial: () => this.#dial(id, sessions.next()),
      isAwake: async () => !this.#instances.isPaused(id),
      onClose: () => this.#open.delete(machine),
    })
    this.#open.add(machine)
    return machine
  }

  async reachFromWorker(handle: MachineHandle): Promise<ClusterReach> {
    const id = this.#instances.idOf(handle)
    const { screen = defaultScreen } = await this.#running(id)
    const sessions = new SessionNames()
    const reach = new ClusterReach(
      screen,
      () => this.#dial(id, sessions.next()),
      () => this.#open.delete(reach),
    )
    this.#open.add(reach)
    return reach
  }

  inspect(handle: MachineHandle): Promise<MachineState> {
    return this.#instances.inspect(this.#instances.idOf(handle))
  }

  async figures(handle: MachineHandle): Promise<MachineFigures> {
    const id = this.#instances.idOf(handle)
    return figuresOf(await this.#instances.state(id), await this.#running(id, true))
  }

  async restart(handle: MachineHandle, { signal }: Abortable = {}): Promise<void> {
    await this.#change(handle, async id => {
      await this.#instances.stop(id)
      await this.#instances.disks.clear(id)
      signal?.throwIfAborted()
      await this.#creation.start(id, signal)
    })
  }

  async stop(handle: MachineHandle): Promise<void> {
    await this.#change(handle, id => this.#instances.stop(id))
  }

  async pause(handle: MachineHandle): Promise<void> {
    await this.#change(handle, id => this.#instances.freeze(id))
  }

  async resume(handle: MachineHandle): Promise<void> {
    await this.#change(handle, id => this.#instances.unfreeze(id))
  }

  async destroy(handle: MachineHandle): Promise<void> {
    const id = this.#instances.idOf(handle)
    await this.#mutex.run(id, () => this.#instances.removeMachine(id))
  }

  async list(): Promise<ListedMachine[]> {
    const instances = await this.#instances.list()
    const here = instances.filter(({ location }) => !this.#members.isKnownLost(location))
    await this.#instances.disks.clearFormer(here)
    this.#prepared.sweep(instances)
    return machinesOf(instances, this.#instances.names)
  }

  async close(): Promise<void> {
    for (const one of [...this.#open]) one.close()
    this.#events.close()
    this.#streams.close()
    await this.#prepared.close()
    this.#members.close()
    this.#client.close()
  }

  async #change(handle: MachineHandle, change: (id: string) => Promise<void>): Promise<void> {
    const id = this.#instances.idOf(handle)
    await this.#mutex.run(id, async () => {
      await this.#instances.require(id)
      await change(id)
    })
  }

  /** A byte stream to the end of a machine's channel. The earlier ones of the same opener end, wherever their bytes are. */
  async #dial(id: string, session: string): Promise<Duplex> {
    const found = await this.#instances.require(id)
    const instance = found.status === 'Stopped' ? await this.#instances.afterEnd(id) : found
    // It has not ended, so this is not its state as far as callers are concerned.
    if (instance.status === 'Frozen')
      throw new MachineError('UNREACHABLE', `The machine ${id} is paused; resume it.`)
    runningSpecOf(id, instance)
    return await this.#connect(id, session)
  }

  /** The same, without a question whether the machine runs. Without a name of the session, no other one ends. */
  async #connect(id: string, name?: string): Promise<Duplex> {
    try {
      const command = name === undefined ? channelCommand : [...channelCommand, name]
      const session = await this.#client.exec(this.#instances.names.of(id), command)
      this.#streams.add(id, session)
      return session.stream
    } catch (cause) {
      if (!(cause instanceof MachineError && cause.code === 'STATE')) throw cause
      // It has stopped meanwhile, or it is about to.
      await this.#running(id)
      throw new MachineError('UNREACHABLE', `The machine ${id} starts no programs.`, { cause })
    }
  }

  /**
   * Ends the streams to machines of members that are away. Incus itself would hold them for long, because the member that we talk
   * to is there.
   */
  #giveUp(members: ReadonlySet<string>): void {
    this.#streams.end(id => members.has(this.#instances.memberOf(id) ?? ''))
  }

  async #running(id: string, mayBePaused = false): Promise<KeptSpec> {
    return runningSpecOf(id, await this.#instances.require(id), mayBePaused)
  }
}
