import type { MachineHandle } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { Database, Tx } from '../../db/database.ts'
import { type MachineRow, selectMachine } from '../../records/machines.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'

/** A machine that exists, whether or not it runs. */
export type MadeMachine = MachineRow & { readonly handle: MachineHandle }

/** Returns the machine of a sandbox, and throws a 409 if it has none yet. */
export async function madeMachineOf(
  db: Database | Tx,
  { machine_id: id, status }: Pick<SandboxRow, 'machine_id' | 'status'>,
): Promise<MadeMachine> {
  const machine = id === null ? undefined : await selectMachine(db, id)
  if (!machine?.handle)
    throw new ApiError('sandbox.STATE', {
      message: status === 'PENDING' ? 'Its machine is still being made.' : 'It has no machine.',
    })
  return { ...machine, handle: machine.handle }
}
