import { setTimeout as pause } from 'node:timers/promises'
import type { CreateOptions } from '@sandglass/client'
import { type Life, type Living, live } from './life.ts'
import { desktopUses, uses } from './uses/all.ts'

/** How long a caller waits whose create was refused. */
const refusedMs = 2000

/** Creates, uses and deletes small machines, one after the other, until the run ends. Returns how many there were. */
export async function churn(living: Living): Promise<number> {
  const { random } = living
  return await repeat(living, () => ({
    create: { ...createOptions(random), lifeSeconds: 1800 },
    uses,
    length: 1 + Math.floor(random() * 8),
    isWatched: random() < 0.5,
  }))
}

/** Uses a real desktop for long, while somebody watches. */
export async function useDesktop(living: Living): Promise<number> {
  return await repeat(living, () => ({
    create: { shape: 'desktop', lifeSeconds: 86_400 },
    uses: desktopUses,
    length: 200,
    isWatched: true,
  }))
}

async function repeat(living: Living, next: () => Life): Promise<number> {
  let lives = 0
  while (!living.signal.aborted)
    try {
      await live(living, next())
      lives++
    } catch {
      // Counted where it happened. Whatever it was, the next life begins anew.
      await pause(refusedMs, undefined, { signal: living.signal }).catch(() => {})
    }
  return lives
}

/** Some come from the warm pool, and some boot with something of their own. */
function createOptions(random: () => number): CreateOptions {
  const dice = random()
  if (dice < 0.4) return { shape: 'warm' }
  if (dice < 0.7) return { shape: 'small' }
  return { shape: 'small', env: { SOAK: 'yes' }, egress: 'none', labels: { kind: 'soak' } }
}
