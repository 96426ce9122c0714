import type { EngineScope, ListedMachine } from '@sandglass/machines/contract'
import { isMadeFor } from '../placement/ownership.ts'
import type { Ledger } from './ledger.ts'

/** Why a machine that is not in the database is left alone. */
export type UnclaimedReason =
  /** It was made for another database. */
  | 'other-installation'
  /** It was made by another node of this database. */
  | 'other-node'
  /** It was made, or handed to a user, after the state that the database has. */
  | 'newer'
  /** It does not say whose it is: it was made by a version that did not write that down, or is damaged. */
  | 'unknown'

export type Belonging =
  /** A row names it. */
  | 'claimed'
  /** This node made it, and the database has deleted its row since, or gave it up half-made: nobody needs it. */
  | 'forgotten'
  /** Another node, or another installation, made it on an engine that they share with this node: it is theirs to look after. */
  | 'neighbour'
  | UnclaimedReason

/**
 * Whose machine it is. Only what this database is known to have given up counts as forgotten, so that a wrong, an empty
 * or an older database never costs anybody a machine.
 */
export function belongingOf(
  { id, owner }: ListedMachine,
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
  // An older database hands out the same numbers again, so what was newer once stays so.
  return owner.number > ledger.lastNumber || leftAlone.has(id) ? 'newer' : 'forgotten'
}
