import type { WarmKind } from '../records/machines.ts'

/** How many machines of a kind are to be kept ready. */
export interface WarmCount extends WarmKind {
  readonly warm: number
}

/** A machine of the pool that nobody has claimed. */
export interface ReadyMachine {
  readonly id: string
  readonly shape_name: string
  readonly image_id: string | null
}

/**
 * Returns the ids of the machines that the pool has too many of: those of a kind that is no longer wanted, and the last ones of a
 * kind of which fewer are wanted.
 */
export function surplusOf(ready: readonly ReadyMachine[], wanted: readonly WarmCount[]): string[] {
  const left = new Map(wanted.map(kind => [keyOf(kind), kind.warm]))
  return ready.flatMap(({ id, shape_name: shapeName, image_id: imageId }) => {
    const key = keyOf({ shapeName, imageId: imageId ?? undefined })
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count > 0 ? [] : [id]
  })
}

const keyOf = ({ shapeName, imageId }: WarmKind) => JSON.stringify([shapeName, imageId ?? null])
