import type { Transfer } from '@sandglass/machines/contract'
import type { KeptCopy } from '../manifest.ts'
import type { Restoring } from '../restore-backup.ts'

export interface RestoringKept extends Restoring {
  readonly openTransfer: (engine: string) => Promise<Transfer | undefined>
  readonly tell: (line: string) => void
}

/**
 * Writes the disks and volumes of a backup, as those of the new installation, and returns what was written. `made` undoes it.
 * What this installation has no engine for is left out.
 */
export async function restoreKept(
  { repository, manifest, identity, openTransfer, tell }: RestoringKept,
  made: AsyncDisposableStack,
): Promise<readonly KeptCopy[]> {
  const transfers = new Map<string, Transfer>()
  for (const engine of new Set(manifest.kept.map(one => one.engine))) {
    const transfer = await openTransfer(engine)
    if (transfer) {
      transfers.set(engine, transfer)
      made.defer(() => transfer.abandon())
    } else tell(`What the engine ${engine} kept is left out, because this installation does not use it.`)
  }
  const usable = manifest.kept.flatMap(copy => {
    const transfer = transfers.get(copy.engine)
    return transfer ? [{ copy, transfer }] : []
  })
  const specOf = ({ id, kind, about, number }: KeptCopy) => ({
    id,
    about,
    ...(kind !== 'base' && { owner: { installation: identity.installation, node: identity.nodeId, number } }),
  })
  for (const { copy, transfer } of usable) await transfer.requireUsable(copy.kind, specOf(copy))
  for (const { copy, transfer } of usable) {
    tell(`Restoring the ${copy.kind === 'base' ? 'image' : copy.kind} ${copy.id}.`)
    await transfer.write(copy.kind, specOf(copy), repository.read(copy.content))
  }
  return usable.map(({ copy }) => copy)
}
