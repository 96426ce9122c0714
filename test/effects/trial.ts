import { setTimeout as pause } from 'node:timers/promises'
import type { EffectSandbox, Pixels } from './effect-sandbox.ts'
import type { EffectKind } from './kind.ts'

/** The screenshot must have this share of the pixels that the action changes. */
const minShare = 0.9
/** An action that is said to have an effect changes at least this many pixels, or the trial is void. */
const minPixels = 100

/** The screen is compared with what it shows when this much time has passed after everything has happened. */
const laterMs = 1500
const patienceMs = 60_000

/** How the screenshot after one action compares with what the action did. */
export interface Trial {
  readonly kind: string
  readonly isShown: boolean
  /** The share of the changed pixels that the screenshot shows. */
  readonly share: number
  readonly settled: string
  readonly waitMs: number
}

/** Performs the action of a kind once, and looks at whether the screenshot shows its effect. */
export async function tryOnce(kind: EffectKind, sandbox: EffectSandbox): Promise<Trial> {
  await kind.prepare?.(sandbox)
  try {
    const before = await stillPicture(sandbox, kind.movesAlready)
    const { picture, settled, waitMs } = await sandbox.act(await kind.action(sandbox))
    await until(kind.name, async () => (await kind.hasHappened?.(sandbox)) ?? true)
    await pause(laterMs)
    const later = await stillPicture(sandbox, kind.movesAlready)
    const share = shareShown(before, picture, later, await sandbox.look(), kind.changesNothing)
    return { kind: kind.name, isShown: share >= minShare, share, settled, waitMs }
  } finally {
    await kind.undo?.(sandbox)
  }
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const endsMs = performance.now() + patienceMs; !(await isTrue()); await pause(100))
    if (performance.now() > endsMs) throw new Error(`${what}: it did not happen`)
}

/** Resolves with a picture when two that are half a second apart differ by no more than a caret. */
async function stillPicture(sandbox: EffectSandbox, movesAlready = false): Promise<Pixels> {
  let last = await sandbox.look()
  if (movesAlready) return last
  await until('the screen does not become still', async () => {
    const previous = last
    await pause(500)
    last = await sandbox.look()
    return differing(previous, last) < 1000
  })
  return last
}

function differing(a: Pixels, b: Pixels): number {
  let count = 0
  for (let at = 0; at < a.data.length; at += 3) if (!isSame(a, b, at)) count++
  return count
}

/** The share of the pixels that an action changed for good, and that the picture already shows. */
function shareShown(before: Pixels, picture: Pixels, later: Pixels, last: Pixels, isNothing = false): number {
  let changed = 0
  let shown = 0
  for (let at = 0; at < later.data.length; at += 3) {
    if (isSame(before, later, at) || !isSame(later, last, at)) continue
    changed++
    if (isSame(picture, later, at)) shown++
  }
  if (isNothing) return differing(picture, later) < 1000 ? 1 : 0
  if (changed < minPixels) throw new Error(`the action changed ${changed} pixels only`)
  return shown / changed
}

function isSame(a: Pixels, b: Pixels, at: number): boolean {
  return a.data[at] === b.data[at] && a.data[at + 1] === b.data[at + 1] && a.data[at + 2] === b.data[at + 2]
}
