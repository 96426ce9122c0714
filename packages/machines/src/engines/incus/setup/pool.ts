import { z } from 'zod'
import { read } from '../client/answers.ts'
import { IncusError } from '../client/index.ts'
import { listMembers } from '../list-members.ts'
import { unlessMissing } from './missing.ts'
import { longDeadlineMs, type SetupContext, SetupError } from './setup-context.ts'
import type { StorageChoice } from './storage.ts'

const poolSchema = z.object({
  driver: z.string(),
  status: z.string().default(''),
  locations: z.array(z.string()).nullish(),
})

export type IncusPool = z.infer<typeof poolSchema>

export async function findPool({
  incus,
  names: { pool },
}: Pick<SetupContext, 'incus' | 'names'>): Promise<IncusPool | undefined> {
  const found = await unlessMissing(incus.get(`/storage-pools/${pool}`))
  return found === undefined ? undefined : read(poolSchema, found, 'a storage pool')
}

/** Makes the pool of a cluster that has one member. Members that join make their part of it. */
export async function ensurePool(
  context: SetupContext,
  member: string,
  choose: () => Promise<StorageChoice>,
): Promise<string> {
  const { incus, names, tell } = context
  const found = await findPool(context)
  if (found?.status === 'Created') {
    tell(`The storage pool ${names.pool} is there (${found.driver}).`)
    return found.driver
  }
  const others = (await listMembers(incus)).filter(({ name }) => name !== member)
  if (others.length > 0)
    throw new SetupError(
      `The cluster has other members (${others.map(({ name }) => name).join(', ')}) and no storage pool ${names.pool}. Make it with \`incus storage create\`, because only you know where it can be on them.`,
    )
  const { driver, config, where } = await choose()
  // A pool that an earlier run has only announced may have been meant for another place.
  if (found) await incus.send('DELETE', `/storage-pools/${names.pool}`)
  const pool = { name: names.pool, driver }
  const options = { deadlineMs: longDeadlineMs }
  try {
    await incus.send(
      'POST',
      `/storage-pools?target=${encodeURIComponent(member)}`,
      { ...pool, config },
      options,
    )
    await incus.send('POST', '/storage-pools', pool, options)
  } catch (error) {
    if (!(error instanceof IncusError)) throw error
    await incus.send('DELETE', `/storage-pools/${names.pool}`).catch(() => {})
    throw new SetupError(`The storage pool could not be made (${where}): ${error.reason}.`, { cause: error })
  }
  tell(`Made the storage pool ${names.pool}: ${where}.`)
  return driver
}
