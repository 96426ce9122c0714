import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { MachineState } from '../../../contract/engine.ts'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineHandle } from '../../../contract/handle.ts'
import { read } from '../client/answers.ts'
import { unreachable } from '../client/errors.ts'
import { type IncusClient, IncusError } from '../client/index.ts'
import { idOf as idIn, instanceIn } from '../handle.ts'
import type { Members } from '../members.ts'
import { DiskSwap } from './disk-swap.ts'
import { Instance, instanceOf, nextOf, readyKey } from './instance.ts'
import { InstanceNames } from './instance-names.ts'
import { unlessBusy } from './unless-busy.ts'

/** Questions are answered at once, except those for which Incus waits for a member that is gone. */
const askDeadlineMs = 5000
/** For instances of members that are given up. One that is back answers within this. */
const askLostDeadlineMs = 2000
const changeDeadlineMs = 60_000
/** How Incus remembers whether an instance is to run. It notes the end of an instance as the last step. */
const powerKey = 'volatile.last_state.power'
const endTimeoutMs = 5000
const endPauseMs = 50
const wakePauseMs = 100
const wakeTries = 10

/** The instances of the cluster that are machines or saved disks. */
export class Instances {
  readonly #client: IncusClient
  readonly #members: Members
  readonly names = new InstanceNames()
  readonly disks: DiskSwap
  /** The member of each instance, where it was last seen. */
  readonly #locations = new Map<string, string>()
  readonly #paused = new Set<string>()
  /** The machines that stand still for a moment, and when that is over. */
  readonly #still = new Map<string, Promise<void>>()

  constructor(client: IncusClient, members: Members) {
    this.#client = client
    this.#members = members
    this.disks = new DiskSwap(client, this.names, name => this.remove(name))
  }

  /** The id in a handle, which may say which instance the machine has. */
  idOf(handle: MachineHandle): string {
    const id = idIn(handle)
    this.names.told(id, instanceIn(handle))
    return id
  }

  isPaused(id: string): boolean {
    return this.#paused.has(id)
  }

  /** Whether a machine stands still for a moment. */
  isStill(id: string): boolean {
    return this.#still.has(id)
  }

  /** Notes what another process did. */
  notePaused(id: string, isPaused: boolean): void {
    if (isPaused) this.#paused.add(id)
    else this.#paused.delete(id)
  }

  /** The member where a machine was last seen. */
  memberOf(id: string): string | undefined {
    return this.locationOf(this.names.of(id))
  }

  locationOf(name: string): string | undefined {
    return this.#locations.get(name)
  }

  countOn(member: string): number {
    let count = 0
    for (const [name, location] of this.#locations)
      if (location === member && this.names.idOf(name) !== undefined) count++
    return count
  }

  /** Returns the instance of a machine. UNREACHABLE if its member does not answer. */
  async require(id: string): Promise<Instance> {
    const found = await this.#machine(id)
    if (!found) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
    return found
  }

  async has(id: string): Promise<boolean> {
    return (await this.find(this.names.of(id))) !== undefined
  }

  /**
   * Returns the instance of a machine that was found stopped, once Incus has finished with it. Until then Incus describes it as running
   * again. Nothing says that it has finished if its member crashed, so this waits only for some time.
   */
  async afterEnd(id: string): Promise<Instance> {
    for (const untilMs = performance.now() + endTimeoutMs; ; await pause(endPauseMs)) {
      const found = await this.require(id)
      const isOver = found.status === 'Stopped' && found.config?.[powerKey] !== 'RUNNING'
      if (isOver || performance.now() > untilMs) return found
    }
  }

  async inspect(id: string): Promise<MachineState> {
    try {
      const found = await this.#machine(id)
      if (!found) return { status: 'missing' }
      if (found.config?.[readyKey] !== 'true') return { status: 'creating' }
      if (found.status === 'Running') return { status: 'running' }
      if (found.status === 'Frozen') return { status: 'paused' }
      return { status: 'stopped', reason: 'It does not run.' }
    } catch (error) {
      if (!(error instanceof MachineError && error.code === 'UNREACHABLE')) throw error
      const member = this.memberOf(id)
      if (member !== undefined && (await this.#members.isLost(member)))
        return { status: 'lost', reason: `The member ${member} of the cluster is gone.` }
      return { status: 'unreachable', reason: error.message }
    }
  }

  /** Returns the instance of a machine. If its disk was being replaced when a process ended, that is completed first. */
  async #machine(id: string): Promise<Instance | undefined> {
    await this.#still.get(id)
    const found = await this.find(this.names.of(id))
    if (found?.status === 'Frozen' && this.#still.has(id)) return await this.#machine(id)
    if (found) return found
    // Another process has replaced the disk, and the instance with it.
    if (this.names.isOutdated(id)) return await this.#machine(id)
    if (await this.find(nextOf(id))) await this.disks.promote(id)
    return await this.find(instanceOf(id))
  }

  async list(): Promise<Instance[]> {
    // It would only wait, and whoever knows that the leader is gone wants to know what was on it.
    if (this.#members.isLeaderLost) throw unreachable('The leader of the database of the cluster is gone.')
    const answer = await this.#client.get('/instances?recursion=1', { deadlineMs: askDeadlineMs })
    const instances = read(z.array(Instance), answer, 'a list of instances')
    this.#locations.clear()
    for (const instance of instances) {
      this.#locations.set(instance.name, instance.location)
      this.names.seen(instance)
    }
    return instances
  }

  async state(id: string): Promise<unknown> {
    return await this.#client.get(`${this.#path(id)}/state`, { deadlineMs: askDeadlineMs })
  }

  /** Ends every process of a machine, whatever it does. */
  async stop(id: string): Promise<void> {
    const { status } = await this.require(id)
    if (status === 'Frozen') await this.#act(id, 'unfreeze')
    if (status !== 'Stopped') await this.#act(id, 'stop')
    this.#paused.delete(id)
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    await this.#act(id, 'start', signal)
  }

  async freeze(id: string): Promise<void> {
    const { status } = await this.require(id)
    if (status === 'Stopped') throw new MachineError('STATE', `The machine ${id} does not run; restart it.`)
    this.#paused.add(id)
    try {
      if (status !== 'Frozen') await this.#act(id, 'freeze')
      this.#paused.add(id)
    } catch (error) {
      this.#paused.delete(id)
      throw error
    }
  }

  async unfreeze(id: string): Promise<void> {
    const { status } = await this.require(id)
    if (status === 'Stopped') throw new MachineError('STATE', `The machine ${id} does not run; restart it.`)
    if (status === 'Frozen') await this.#act(id, 'unfreeze')
    this.#paused.delete(id)
  }

  /** Runs work while no program of a machine runs. Those of a paused machine do not run after it either. */
  async whileStill(id: string, work: () => Promise<void>): Promise<{ readonly pauseMs: number }> {
    if ((await this.require(id)).status !== 'Running') {
      await work()
      return { pauseMs: 0 }
    }
    const over = Promise.withResolvers<void>()
    this.#still.set(id, over.promise)
    const sinceMs = performance.now()
    try {
      await this.#act(id, 'freeze')
      await work()
    } finally {
      await this.#wake(id).finally(() => {
        this.#still.delete(id)
        over.resolve()
      })
    }
    return { pauseMs: performance.now() - sinceMs }
  }

  async #wake(id: string): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#act(id, 'unfreeze')
      } catch (error) {
        const code = error instanceof MachineError ? error.code : undefined
        // It runs already, or it has ended.
        if (code === 'STATE' || code === 'NOT_FOUND') return
        if (code !== 'UNREACHABLE' || tries === wakeTries) throw error
        await pause(wakePauseMs)
      }
  }

  /** Adds to the configuration of a machine. */
  async configure(id: string, config: Readonly<Record<string, string>>): Promise<void> {
    await this.#client.send('PATCH', this.#path(id), { config })
  }

  /** Removes an instance in whatever state it is. An operation that is under way is waited for. */
  async remove(name: string): Promise<void> {
    await unlessBusy(this.#client, name, async () => {
      const found = await this.find(name)
      if (!found) return
      const path = `/instances/${name}`
      if (found.status === 'Frozen') await this.#change(`${path}/state`, 'unfreeze')
      if (found.status !== 'Stopped') await this.#change(`${path}/state`, 'stop').catch(ignoreStopped)
      await this.#client.run('DELETE', path, undefined, { deadlineMs: changeDeadlineMs })
    }).catch(error => {
      if (!(error instanceof MachineError && error.code === 'NOT_FOUND')) throw error
    })
    this.#locations.delete(name)
    this.#paused.delete(this.names.idOf(name) ?? '')
    this.names.gone(name)
  }

  /** Removes a machine with everything that a replacement of its disk may have left. */
  async removeMachine(id: string): Promise<void> {
    await this.disks.clear(id)
    for (const name of new Set([this.names.of(id), instanceOf(id)])) await this.remove(name)
    this.names.drop(id)
  }

  #path(id: string): string {
    return `/instances/${this.names.of(id)}`
  }

  async #act(id: string, action: string, signal?: AbortSignal): Promise<void> {
    await this.#change(`${this.#path(id)}/state`, action, signal)
  }

  async #change(path: string, action: string, signal?: AbortSignal): Promise<void> {
    const body = { action, force: true, timeout: -1 }
    await this.#client.run('PUT', path, body, { deadlineMs: changeDeadlineMs, signal })
  }

  async find(name: string): Promise<Instance | undefined> {
    try {
      const isLost = this.#members.isKnownLost(this.#locations.get(name))
      const deadlineMs = isLost ? askLostDeadlineMs : askDeadlineMs
      const answer = await this.#client.get(`/instances/${name}`, { deadlineMs })
      const instance = read(Instance, answer, 'an instance')
      this.#locations.set(name, instance.location)
      this.names.seen(instance)
      const id = this.names.idOf(name)
      if (id !== undefined && !this.#still.has(id))
        if (instance.status === 'Frozen') this.#paused.add(id)
        else this.#paused.delete(id)
      return instance
    } catch (error) {
      if (error instanceof IncusError && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }
}

/** It may have ended by itself meanwhile. */
function ignoreStopped(error: unknown): void {
  if (!(error instanceof IncusError && /not running|already stopped/i.test(error.reason))) throw error
}
