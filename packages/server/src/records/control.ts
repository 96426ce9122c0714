import type { Control } from '@sandglass/protocol'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { appendControlChange, type ControlNote, type ControlState } from './control-events.ts'

const taken: ControlState = { control: 'user', person_called: false }
const returned: ControlState = { control: 'agent', person_called: false }
const nobody = { control_by: null, control_message: null }

/** `isCalled` means that a person was asked to take over and has not handed back yet. */
export async function setControl(
  db: Database,
  id: string,
  control: Control,
  isCalled: boolean,
  note: ControlNote,
): Promise<void> {
  const to = { control, person_called: isCalled }
  await transact(db, async tx => {
    const sandbox = await tx
      .selectFrom('sandboxes')
      .select(['id', 'org_id', 'control', 'person_called'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!sandbox) return
    await tx
      .updateTable('sandboxes')
      .set({ ...to, ...holderOf(to, note) })
      .where('id', '=', id)
      .execute()
    await appendControlChange(tx, sandbox, sandbox, to, note)
  })
}

/** What is shown of the person who has control or is called. What the agent asked for is shown until control is handed back. */
function holderOf({ control }: ControlState, { by, message }: ControlNote) {
  if (control === 'agent') return nobody
  return { control_by: by ?? null, ...(message !== undefined && { control_message: message }) }
}

/** Returns undefined if there is no such sandbox. */
export async function selectControl(db: Database, id: string): Promise<ControlState | undefined> {
  return db
    .selectFrom('sandboxes')
    .select(['control', 'person_called'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Returns control to the agent, after a restart of the process, where a person had taken over without being asked. */
export async function recallAbandoned(db: Database, nodeId: string): Promise<void> {
  await transact(db, async tx => {
    const abandoned = await tx
      .updateTable('sandboxes')
      .set({ control: 'agent', ...nobody })
      .where('node_id', '=', nodeId)
      .where('control', '=', 'user')
      .where('person_called', '=', false)
      .returning(['id', 'org_id'])
      .execute()
    for (const sandbox of abandoned) await appendControlChange(tx, sandbox, taken, returned, {})
  })
}
