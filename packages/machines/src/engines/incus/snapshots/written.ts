import { z } from 'zod'

const State = z.object({ disk: z.record(z.string(), z.object({ usage: z.number() })).nullish() })

/** What a disk occupies by itself; 0 if the storage does not tell in time. */
export async function writtenMiB(state: () => Promise<unknown>): Promise<number> {
  const { data } = State.safeParse(await state().catch(() => undefined))
  return Math.ceil(Math.max(0, data?.disk?.['root']?.usage ?? 0) / 2 ** 20)
}
