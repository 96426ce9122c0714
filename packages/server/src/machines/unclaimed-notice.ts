import type { Identity } from './ledger.ts'
import type { UnclaimedMachine } from './unclaimed.ts'

/** Where the machines are, and which database does not know them. The notice mentions both. */
export interface NoticeContext extends Identity {
  readonly dataDirectory: string
  /** The address of the database, without a password. */
  readonly database: string
}

/** Builds the notice for the operator: which machines are left alone, why, and how to fix that. Each entry is one line. */
export function unclaimedNotice(machines: readonly UnclaimedMachine[], where: NoticeContext): string[] {
  const facts = Map.groupBy(machines, machine => factAbout(machine, where))
  const remedies = new Set(machines.map(machine => remedyFor(machine, where)))
  return [
    `${counted(machines.length)} in ${where.dataDirectory} left alone, because this database does not know them:`,
    ...[...facts].map(([fact, { length }]) => `  ${counted(length)}: ${fact}`),
    `  This database (${where.database}) is installation ${where.installation}.`,
    'Stop the service before you do one of these:',
    ...[...remedies].map(remedy => `  - ${remedy}`),
    '  - If nobody needs the machines: list them with "npm run dismantle -- --unclaimed", and add --yes to destroy them.',
  ]
}

const counted = (count: number) => `${count} ${count === 1 ? 'machine' : 'machines'}`

function factAbout({ reason, owner }: UnclaimedMachine, where: Identity): string {
  switch (reason) {
    case 'other-installation':
      return `made for installation ${owner?.installation}.`
    case 'other-node':
      return `made by node ${owner?.node} of this installation; this data directory is node ${where.nodeId}.`
    case 'newer':
      return 'made or handed to a user after the state that this database has.'
    case 'unknown':
      return 'it is not known for which installation it was made.'
  }
}

function remedyFor({ reason, owner }: UnclaimedMachine, { dataDirectory }: NoticeContext): string {
  switch (reason) {
    case 'other-installation':
    case 'unknown':
      return `If this is the wrong database: set DATABASE_URL to the right one, or unset it to use the one in ${dataDirectory}/postgres, and start again. The machines continue as they were.`
    case 'other-node':
      return `If the file ${dataDirectory}/node-id was lost or replaced: write ${owner?.node} into it, and start again. The machines continue as they were.`
    case 'newer':
      return 'If the database was restored from a backup: restore a newer backup, and start again. The machines continue as they were.'
  }
}
