import { setTimeout as pause } from 'node:timers/promises'
import { type CreateOptions, NotFoundError, Sandbox, type Sandglass } from '@sandglass/client'
import type { Pace } from './pace.ts'
import type { Tally } from './tally.ts'
import { choose } from './uses/all.ts'
import type { Use, Using } from './uses/use.ts'
import { Viewer } from './viewer.ts'

export interface Living {
  readonly client: Sandglass
  readonly tally: Tally
  readonly pace: Pace
  readonly random: () => number
  readonly signal: AbortSignal
  /** The sandboxes that somebody uses. */
  readonly used: Set<string>
}

export interface Life {
  readonly create: CreateOptions
  readonly uses: readonly Use[]
  /** How many uses it has. */
  readonly length: number
  /** Whether somebody watches it all the time. */
  readonly isWatched: boolean
}

/** What a create may take on a box that does other work too. */
export const createMs = 180_000

/** The whole life of a sandbox: it is created, watched and used, and deleted however its uses went. */
export async function live(living: Living, life: Life): Promise<void> {
  const { client, tally, pace, random, signal, used } = living
  const box = await Sandbox.create({ ...life.create, client }, { timeoutMs: createMs })
  used.add(box.id)
  const using: Using = { box, random, tally, made: used, later: [] }
  const viewer = life.isWatched ? await Viewer.enter(box, tally) : undefined
  try {
    for (let times = 0; times < life.length && !signal.aborted; times++) {
      await pace.rest().catch(() => {})
      if (signal.aborted) break
      await choose(life.uses, random).run(using)
      viewer?.check()
    }
  } finally {
    viewer?.leave()
    used.delete(box.id)
    await untilDone(() => client.deleteSandbox({ sandboxId: box.id }))
    for (const undo of using.later) await untilDone(undo)
  }
}

/** How often something is tried that a service which is being restarted refuses. */
const attempts = 60

/** What is missing was done. */
async function untilDone(act: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt++)
    try {
      await act()
      return
    } catch (error) {
      if (error instanceof NotFoundError) return
      await pause(1000)
    }
}

/**
 * Deletes what nobody uses. A create whose answer was lost, or a delete that was refused for too long, leaves a sandbox, as it would
 * with any caller. One that is younger than `beganBefore` may be one that a caller is just creating.
 */
export async function deleteUnused(
  client: Sandglass,
  used: ReadonlySet<string>,
  beganBefore = new Date(),
): Promise<void> {
  await untilDone(async () => {
    for (const { id, createdAt } of await client.listSandboxes({ limit: 1000 }))
      if (!used.has(id) && new Date(createdAt) < beganBefore)
        await client.deleteSandbox({ sandboxId: id }).catch(ignoreMissing)
    for (const { id } of (await client.listMachineImages({})).images)
      if (used.size === 0) await client.deleteMachineImage({ imageId: id }).catch(ignoreMissing)
  })
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error
}
