import { ports, running, shells, writingFiles } from './inside.ts'
import { administering, hibernating, pausing, restarting } from './life.ts'
import { forks, images, snapshots } from './saved.ts'
import { acting, glancing, reading } from './screen.ts'
import type { Use } from './use.ts'

/** Add a use by adding one entry. */
export const uses: readonly Use[] = [
  acting,
  glancing,
  reading,
  running,
  writingFiles,
  shells,
  ports,
  snapshots,
  forks,
  images,
  pausing,
  hibernating,
  restarting,
  administering,
]

/** What somebody does with a real desktop that runs for long. */
export const desktopUses: readonly Use[] = [acting, acting, glancing, reading, running, writingFiles, shells]

/** Chooses one at random, by weight. */
export function choose(among: readonly Use[], random: () => number): Use {
  let left = random() * among.reduce((total, { weight }) => total + weight, 0)
  for (const use of among) {
    left -= use.weight
    if (left < 0) return use
  }
  const [first] = among
  if (!first) throw new TypeError('There is nothing to choose from.')
  return first
}
