import type { Engine, MachinePlace } from '@sandglass/machines/contract'

/**
 * Chooses where in a cluster the next machine of the warm pool is to be created: on the member that has the fewest of its kind, and among
 * those on the one that has the fewest machines. Returns undefined if the engine is no cluster or no member takes machines.
 *
 * @param pooled how many machines of its kind each member has in the pool
 */
export async function chooseMember(
  engine: Engine,
  pooled: ReadonlyMap<string, number>,
): Promise<MachinePlace | undefined> {
  const members = (await engine.members?.().catch(() => undefined)) ?? []
  const countOf = (name: string) => pooled.get(name) ?? 0
  const [best] = members
    .filter(({ status, fits }) => status === 'online' && fits !== 0)
    .toSorted((a, b) => countOf(a.name) - countOf(b.name) || a.machines - b.machines)
  return best && { member: best.name }
}
