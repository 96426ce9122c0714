import { mkdir } from 'node:fs/promises'
import { KeyedMutex } from '@sandglass/supervision'
import type { AdbPrivateKey } from '@yume-chan/adb'
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
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { requireAddress } from './device-address.ts'
import type { DeviceRoute } from './device-route.ts'
import { DeviceState } from './device-state.ts'
import { dialDevice } from './dial-device.ts'
import { ownerVariable } from './exec-script.ts'
import { engineName, handleOf, idOf, isId } from './handle.ts'
import { untilBooted } from './health.ts'
import { keysOf, openKey } from './key.ts'
import { limitReceived } from './limit-received.ts'
import { type MachineRecord, MachineRecords } from './machine-records.ts'
import { openLink } from './open-link.ts'
import { isUnreachable, openPhone } from './open-phone.ts'
import { type AdbEngineOptions, type Settings, settle } from './options.ts'
import { PhoneReach } from './phone-reach.ts'
import { Quarantine } from './quarantine.ts'
import { reboot } from './reboot.ts'
import { shortageOf } from './shortage.ts'
import { sweep } from './sweep.ts'

/** How long a device that should be up may take to say so. */
const readyMs = 3000
/** How long the programs of a tenant may take to end before the reset, which ends them too. */
const sweepMs = 10_000

/** A phone that is open in this process, or in a worker. */
interface OpenPhone {
  onClose: () => void
  end(reason: string): void
  close(): void
}

/** Phones by ADB, each a tenant's own while it is claimed. What they are made of is the operator's choice. */
export class AdbEngine implements Engine {
  readonly name = engineName
  readonly capabilities: Capabilities = {
    pause: false,
    egress: false,
    egressNames: false,
    halfClose: false,
    saveMemory: false,
  }
  readonly scope = 'node'
  readonly #settings: Settings
  readonly #key: Required<AdbPrivateKey>
  readonly #state: DeviceState
  readonly #records: MachineRecords
  readonly #quarantine: Quarantine
  readonly #mutex = new KeyedMutex()
  readonly #open = new Map<string, Set<OpenPhone>>()

  private constructor(
    settings: Settings,
    key: Required<AdbPrivateKey>,
    state: DeviceState,
    records: MachineRecords,
  ) {
    this.#settings = settings
    this.#key = key
    this.#state = state
    this.#records = records
    this.#quarantine = new Quarantine(settings, state, address => this.#ownRoute(address))
  }

  static async open(options: AdbEngineOptions): Promise<AdbEngine> {
    const settings = settle(options)
    const { dataDir } = settings
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const key = await openKey(dataDir)
    return new AdbEngine(settings, key, await DeviceState.open(dataDir), await MachineRecords.open(dataDir))
  }

  async create(spec: MachineSpec, { signal }: Abortable = {}): Promise<MachineHandle> {
    signal?.throwIfAborted()
    this.#validate(spec)
    return await this.#mutex.run(spec.id, () => this.#create(spec, signal))
  }

  async #create(
    { id, image: pool, env = {}, owner }: MachineSpec,
    signal?: AbortSignal,
  ): Promise<MachineHandle> {
    const record: MachineRecord = { version: 1, pool, env, ...(owner && { owner }) }
    await this.#records.create(id, record)
    try {
      const address = await this.#claim(id, pool, signal)
      await this.#records.replace(id, { ...record, address })
      return handleOf(id)
    } catch (error) {
      await this.#records.remove(id)
      throw error
    }
  }

  /** The first device that is free and well. Nobody has used it since its last reset. */
  async #claim(id: string, pool: string, signal?: AbortSignal): Promise<string> {
    for (const address of this.#settings.pools[pool]?.devices ?? []) {
      if (!this.#state.isFree(address) || !(await this.#state.claim(address, id))) continue
      try {
        await untilBooted(this.#ownRoute(address), readyMs, signal)
        return address
      } catch (error) {
        if (!signal?.aborted) await this.#quarantine.add(address, error)
        await this.#state.release(address)
        signal?.throwIfAborted()
      }
    }
    const reason = shortageOf(this.#settings, this.#state, pool)
    throw new MachineError('NO_CAPACITY', reason ?? `No phone of the pool ${pool} is free.`)
  }

  async health(): Promise<EngineHealth> {
    const unavailable: Record<string, string> = {}
    for (const pool of Object.keys(this.#settings.pools)) {
      const reason = shortageOf(this.#settings, this.#state, pool)
      if (reason !== undefined) unavailable[pool] = reason
    }
    return { ready: true, unavailable }
  }

  /** A phone's disk is its own, so its size does not matter. */
  async capacity(_diskMiB: number, pool?: string): Promise<Capacity> {
    const { pools } = this.#settings
    const devices = Object.entries(pools).flatMap(([name, { devices }]) =>
      pool === undefined || pool === name ? devices : [],
    )
    const fits = devices.filter(address => this.#state.isFree(address)).length
    if (fits > 0) return { fits }
    const reason = pool === undefined ? undefined : shortageOf(this.#settings, this.#state, pool)
    return { fits, reason: reason ?? 'No phone is free. Delete a sandbox that has one, or try again later.' }
  }

  async open(handle: MachineHandle): Promise<Machine> {
    const id = idOf(handle)
    const { address, env } = await this.#require(id)
    const { video } = this.#settings
    const route = { address, keys: keysOf(this.#key), dial: () => dialDevice(address) }
    const onVideoFailure = this.#onVideoFailure(address)
    const machine = await openPhone({ handle, id, env, route, video, onVideoFailure })
    this.#remember(id, machine)
    return machine
  }

  async reachFromWorker(handle: MachineHandle): Promise<PhoneReach> {
    const id = idOf(handle)
    const { address, env } = await this.#require(id)
    const { video } = this.#settings
    const { buffer, name } = this.#key
    const key = { base64: Buffer.from(buffer).toString('base64'), name }
    const isDirect = requireAddress(address).serial === undefined
    const details = { id, address, env, ...(isDirect && { key }), ...(video && { decoder: video.decoder }) }
    const reach = new PhoneReach(details, video?.server.content, this.#onVideoFailure(address))
    this.#remember(id, reach)
    return reach
  }

  async inspect(handle: MachineHandle): Promise<MachineState> {
    const id = idOf(handle)
    const record = await this.#records.read(id)
    if (!record) return { status: 'missing' }
    if (record.address === undefined) return { status: 'creating' }
    try {
      await untilBooted(this.#ownRoute(record.address), 0)
      return { status: 'running' }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { status: isUnreachable(error) ? 'unreachable' : 'stopped', reason }
    }
  }

  async restart(handle: MachineHandle, { signal }: Abortable = {}): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => {
      const { address } = await this.#require(id)
      await reboot(this.#ownRoute(address), this.#settings.bootTimeoutMs, signal)
      this.#endAll(id, 'The phone was restarted.')
    })
  }

  async pause(): Promise<void> {
    throw new MachineError('STATE', 'a phone cannot be paused')
  }

  async resume(): Promise<void> {
    throw new MachineError('STATE', 'a phone cannot be paused')
  }

  /** The claim goes last: a service that ends meanwhile finds it, and resets the device again. */
  async destroy(handle: MachineHandle): Promise<void> {
    const id = idOf(handle)
    await this.#mutex.run(id, async () => {
      this.#endAll(id, 'The phone was given back.')
      const address = await this.#state.heldBy(id)
      if (address !== undefined) {
        await this.#endPrograms(id, address)
        await this.#quarantine.reset(address).catch(error => this.#quarantine.add(address, error))
        await this.#state.release(address)
      }
      await this.#records.remove(id)
    })
  }

  async list(): Promise<ListedMachine[]> {
    const ids = (await this.#records.ids()).filter(isId)
    return await Promise.all(
      ids.map(async id => {
        const record = await this.#records.read(id)
        return { id, handle: handleOf(id), owner: record?.owner, image: record?.pool }
      }),
    )
  }

  async close(): Promise<void> {
    for (const phones of this.#open.values()) for (const phone of [...phones]) phone.close()
    this.#open.clear()
    await this.#quarantine.close()
  }

  #validate({ id, image, egress }: MachineSpec): void {
    if (!isId(id))
      throw new MachineError(
        'INVALID',
        'id is 1 to 40 lower-case letters, digits and -, and starts with no -',
      )
    const names = Object.keys(this.#settings.pools)
    if (!names.includes(image))
      throw new MachineError('INVALID', `there is no pool of phones ${image}; there are ${names.join(', ')}`)
    if (egress !== undefined && egress !== 'internet')
      throw new MachineError('INVALID', 'what a phone reaches is up to its own network: leave egress out')
  }

  async #require(id: string): Promise<MachineRecord & { readonly address: string }> {
    const record = await this.#records.read(id)
    if (!record) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
    const { address } = record
    if (address === undefined)
      throw new MachineError('STATE', `machine ${id} was not made to the end; destroy it`)
    return { ...record, address }
  }

  #onVideoFailure(address: string): (reason: string) => void {
    return reason => this.#settings.tell(`The phone ${address} is watched by screencap for now: ${reason}.`)
  }

  /** The way on which the engine itself asks a device whether it is well, which needs a few bytes only. */
  #ownRoute(address: string): DeviceRoute {
    return {
      address,
      keys: keysOf(this.#key),
      dial: async () => limitReceived(await dialDevice(address)),
    }
  }

  #remember(id: string, phone: OpenPhone): void {
    const phones = this.#open.get(id) ?? new Set()
    this.#open.set(id, phones.add(phone))
    phone.onClose = () => phones.delete(phone)
  }

  #endAll(id: string, reason: string): void {
    for (const phone of [...(this.#open.get(id) ?? [])]) phone.end(reason)
    this.#open.delete(id)
  }

  /** What the tenant left running, where the device still answers; a device that does not is found out by its reset. */
  async #endPrograms(id: string, address: string): Promise<void> {
    const link = await openLink(this.#ownRoute(address)).catch(() => undefined)
    if (!link) return
    const timer = setTimeout(() => link.close(), sweepMs)
    await sweep(link, ownerVariable, id).catch(() => {})
    clearTimeout(timer)
    link.close()
  }
}
