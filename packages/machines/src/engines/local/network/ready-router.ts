import type { Settings } from '../options.ts'
import { listIds, type MachineRecord, readRecord } from '../records.ts'
import { applyPolicy, detachNetwork } from './network.ts'
import { ensureRouter } from './router.ts'

type Connected = Pick<MachineRecord, 'spec' | 'index'>

/** Makes the router, and applies the policies of existing machines again if the rules that they are part of have changed. */
export async function readyRouter(settings: Settings): Promise<void> {
  if (!(await ensureRouter(settings))) return
  for (const id of await listIds(settings)) {
    const record = await readRecord<Connected>(settings, id)
    if (!record) continue
    await applyPolicy(settings, record.spec, record.index)
    // It may have been destroyed meanwhile.
    if (!(await readRecord<Connected>(settings, id))) await detachNetwork(settings, record.spec, record.index)
  }
}
