import type { TakenSnapshot } from '@sandglass/machines/contract'
import * as protocol from '@sandglass/protocol'
import { ApiError, changedLifecycle, type ForkResult } from '@sandglass/protocol'
import type { z } from 'zod'
import { appendAudit } from '../../audit/store.ts'
import type { Tx } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import type { Call } from '../../http/api.ts'
import { recordOf } from '../../http/change.ts'
import type { HeldDisk } from '../../machines/saved-disks.ts'
import type { Reservation } from '../../placement/admission.ts'
import { lifecycleOf } from '../../records/lifecycle.ts'
import { type SandboxRow, sandboxOf } from '../../records/sandboxes.ts'
import { failDisk, markDiskSpent } from '../../records/saved-disks.ts'
import type { CreatedSandbox, SandboxWishes, StartingDisk } from '../sandboxes/create.ts'
import type { MadeMachine } from '../sandboxes/made-machine.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import type { CatalogueShape } from '../shapes/catalogue.ts'
import { type DiskSaving, saveFailure } from './saving.ts'

type ForkCall = Call<
  typeof protocol.forkSandbox.path,
  undefined,
  z.output<NonNullable<typeof protocol.forkSandbox.body>>
>
type Answer = z.input<NonNullable<typeof protocol.forkSandbox.response>>

/** Capacity for some of the forks, and why there is none for the others. */
interface Capacity extends Disposable {
  readonly reservations: readonly Reservation[]
  readonly refused?: ApiError
}

/**
 * Forks sandboxes: the disk is saved once, and every fork is a sandbox whose machine starts with it. The rows of all forks are
 * written in one transaction, in which the disk is doomed as well. It is removed when the last fork has been created.
 */
export class Forking {
  readonly #parts: SandboxParts
  readonly #saving: DiskSaving

  constructor(parts: SandboxParts, saving: DiskSaving) {
    this.#parts = parts
    this.#saving = saving
  }

  async fork(call: ForkCall, sandbox: SandboxRow): Promise<Answer> {
    const earlier = await call.earlier<Answer>()
    if (earlier) return earlier.answer
    const machine = await this.#saving.machineOf(sandbox, call.body.memory)
    const {
      env = {},
      egress = 'internet',
      screen,
      image,
      diskMiB,
    } = this.#parts.keeper.environment.open(machine.spec)
    const lifecycle = changedLifecycle(lifecycleOf(sandbox), call.body.lifecycle ?? {})
    const named = this.#parts.creation.shapeFor(sandbox.shape_name, { egress, lifecycle }, call.member)
    const shape = { ...named, engine: machine.engine, image, diskMiB }
    const wishes: SandboxWishes = {
      name: call.body.name ?? sandbox.name,
      maxLifeSeconds: call.body.maxLifeSeconds,
      projectId: sandbox.project_id,
      labels: sandbox.labels,
      lifecycle,
      egress,
      env,
      screen,
    }
    using capacity = await this.#reserve(shape, call.body.count)
    // Nothing fits, so the sandbox does not need to pause.
    if (capacity.reservations.length === 0)
      return await this.#record(call, sandbox, async () => this.#refusals(capacity, call.body.count), 0)
    await call.record(sandbox.id)
    return await this.#forkFrom(machine, call, sandbox, shape, wishes, capacity)
  }

  async #forkFrom(
    machine: MadeMachine,
    call: ForkCall,
    sandbox: SandboxRow,
    shape: CatalogueShape,
    wishes: SandboxWishes,
    capacity: Capacity,
  ): Promise<Answer> {
    const { disks, db } = this.#parts
    using held = disks.hold()
    try {
      const taken = await this.#take(machine, held, call.body.memory)
      const disk = { id: held.id, handle: taken.handle }
      return await this.#record(
        call,
        sandbox,
        async (tx, created) => {
          const results = await this.#create(tx, call, shape, wishes, capacity, disk, created)
          if (!(await markDiskSpent(tx, disk.id, taken))) throw new ApiError('machine.FAILED')
          return [...results, ...this.#refusals(capacity, call.body.count - results.length)]
        },
        taken.pauseMs,
      )
    } finally {
      // It is doomed already, unless something failed.
      await transact(db, tx => failDisk(tx, held.id, '')).catch(() => {})
      disks.removeDoomedSoon()
    }
  }

  async #take(machine: MadeMachine, held: HeldDisk, memory: boolean): Promise<TakenSnapshot> {
    const { disks, db } = this.#parts
    const disk = await transact(db, tx => disks.insert(tx, held, machine, memory))
    return await disks.take(machine, disk).catch(error => {
      throw saveFailure(error)
    })
  }

  /** Writes the forks, and begins to create their machines after the commit. */
  async #record(
    { change }: ForkCall,
    { id }: SandboxRow,
    write: (tx: Tx, created: CreatedSandbox[]) => Promise<ForkResult[]>,
    pauseMs: number,
  ): Promise<Answer> {
    const { creation } = this.#parts
    return await change(async tx => {
      const created: CreatedSandbox[] = []
      const results = await write(tx, created)
      return {
        answer: { results, pauseMs },
        target: id,
        after: () => {
          for (const each of created) creation.carryOut(each)
        },
      }
    })
  }

  async #create(
    tx: Tx,
    { member, request }: ForkCall,
    shape: CatalogueShape,
    wishes: SandboxWishes,
    { reservations }: Capacity,
    disk: StartingDisk,
    created: CreatedSandbox[],
  ): Promise<ForkResult[]> {
    const { creation } = this.#parts
    const results: ForkResult[] = []
    for (const { nodeId } of reservations)
      try {
        const target = { nodeId, isHere: true, machine: 'any' } as const
        const saved = { lockDisk: async () => disk }
        const fork = await creation.create(tx, member, shape, wishes, target, saved)
        await appendAudit(tx, recordOf(protocol.forkSandbox, member, request, fork.sandbox.id, 'done'))
        created.push(fork)
        results.push({ sandbox: sandboxOf(fork.sandbox) })
      } catch (error) {
        // The quota is checked before anything is written, so the transaction can go on.
        if (!(error instanceof ApiError) || error.code !== 'sandbox.TOO_MANY') throw error
        results.push(refusalOf(error))
      }
    return results
  }

  async #reserve(shape: CatalogueShape, count: number): Promise<Capacity> {
    const holding = new DisposableStack()
    const reservations: Reservation[] = []
    const end = { [Symbol.dispose]: () => holding.dispose() }
    while (reservations.length < count)
      try {
        reservations.push(holding.use(await this.#parts.creation.reserve(shape)))
      } catch (error) {
        if (error instanceof ApiError) return { reservations, refused: error, ...end }
        holding.dispose()
        throw error
      }
    return { reservations, ...end }
  }

  #refusals({ refused = new ApiError('machine.NO_CAPACITY') }: Capacity, count: number): ForkResult[] {
    return Array.from({ length: count }, () => refusalOf(refused))
  }
}

function refusalOf({ code, message }: ApiError): ForkResult {
  return { error: { code, message } }
}
