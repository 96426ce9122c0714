import type { EngineScope, ListedMachine } from '@sandglass/machines/contract'
import { isMadeFor } from '../placement/ownership.ts'
import type { Ledger } from './ledger.ts'

/** Why a machine that the database does not know is left alone. */
export type UnclaimedReason =
  /** It was created for another database. */
  | 'other-installation'
  /** It was created by another node of this database. */
  | 'other-node'
  /** It was created or handed to a user after the state that the database is in, for example because a backup was restored. */
  | 'newer'
  /** It has no record of its owner, because an older version created it or because it is damaged. */
  | 'unknown'

export type Belonging =
  /** It has a row in the database. */
  | 'claimed'
  /** This node created it, and its row was deleted since or its creation was abandoned, so it is safe to destroy. */
  | 'forgotten'
  /** Another node or installation created it on an engine that it shares with this node, and is responsible for it. */
  | 'neighbour'
  | UnclaimedReason

/**
 * Decides whose machine, or whose saved disk, it is. Only a machine that this database is known to have given up counts as forgotten, so that a
 * service with a wrong, empty or older database never destroys a machine that somebody needs.
 */
export function belongingOf(
  { id, owner }: Pick<ListedMachine, 'id' | 'owner'>,
  scope: EngineScope,
  hasRow: boolean,
  ledger: Ledger,
  leftAlone: { has(id: string): boolean },
): Belonging {
  if (hasRow) return 'claimed'
  if (!owner) return 'unknown'
  if (owner.installation !== ledger.installation)
    return scope === 'shared' ? 'neighbour' : 'other-installation'
  if (!isMadeFor(ledger.nodeId, owner)) return scope === 'shared' ? 'neighbour' : 'other-node'
  // A restored database assigns the same numbers again, so a machine that was newer once must stay newer.
  return owner.number > ledger.lastNumber || leftAlone.has(id) ? 'newer' : 'forgotten'
}
