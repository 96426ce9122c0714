import { ApiError } from '@sandglass/protocol'
import type { Actor } from '../../auth/principal.ts'
import type { Tx } from '../../db/database.ts'
import type { Change } from '../../http/change.ts'
import { maxLifeSeconds } from '../../records/life-clock.ts'
import { type SandboxRow, setExpiry } from '../../records/sandboxes.ts'
import { requireLocked } from './lock-sandbox.ts'
import type { SandboxParts } from './parts.ts'

/** Lets a sandbox live for some seconds from now. */
export async function extend(
  tx: Tx,
  { clock, keepSeconds }: Pick<SandboxParts, 'clock' | 'keepSeconds'>,
  member: Actor,
  sandboxId: string,
  seconds: number,
): Promise<Change<undefined>> {
  const sandbox = await requireLocked(tx, member, sandboxId)
  requireLife(sandbox, seconds, clock.now())
  await setExpiry(tx, sandbox.id, seconds, keepSeconds)
  return { answer: undefined, target: sandbox.id }
}

function requireLife({ created_at: createdAt }: SandboxRow, seconds: number, nowMs: number): void {
  const leftMs = createdAt.getTime() + maxLifeSeconds * 1000 - nowMs
  if (seconds * 1000 > leftMs)
    throw new ApiError('sandbox.LIFE_TOO_LONG', {
      message: `A sandbox can live for at most 13 days; this one has ${Math.floor(leftMs / 1000)} s left.`,
    })
}
