import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import { appendEvent } from '../../events/append.ts'
import type { Api } from '../../http/api.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { SandboxWork } from '../sandboxes/lifecycle/sandbox-work.ts'
import type { Shell } from './shell.ts'
import { Shells } from './shells.ts'

/** Opens the shells of this process. Their ends are in the event log, and they end when the service closes. */
export function openShells(
  { closing }: Pick<Api, 'closing'>,
  work: SandboxWork,
  db: Database,
  log: Logger,
): Shells {
  const shells = new Shells(work, (sandbox, shell) => {
    appendExit(db, sandbox, shell).catch(error =>
      log.warn({ sandbox: sandbox.id, error }, 'the end of a shell is missing in the event log'),
    )
  })
  closing.addEventListener('abort', () => shells.close())
  return shells
}

/** Appends that a command has ended. A machine has no part in a transaction, so this follows as soon as the process knows it. */
async function appendExit(db: Database, { id, org_id }: SandboxRow, shell: Shell): Promise<void> {
  await transact(db, tx =>
    appendEvent(tx, {
      orgId: org_id,
      type: 'shell.exited',
      subject: id,
      data: { shellId: shell.id, exitCode: shell.exitCode ?? 0, timedOut: shell.hasTimedOut },
    }),
  )
}
