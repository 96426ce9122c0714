import { setTimeout as pause } from 'node:timers/promises'
import type { Rect } from '@sandglass/machines/contract'
import type { EffectSandbox, Pixels } from './effect-sandbox.ts'
import type { EffectKind } from './kind.ts'

/** The screenshot must have this share of the pixels that the action changes. */
const minShare = 0.9
/** An action that is said to have an effect changes at least this many pixels, or the trial is void. */
const minPixels = 100

/** A caret and a clock change fewer pixels than this. */
const caretPixels = 1000

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
    const before = await stillPicture(sandbox, kind.moving)
    const { picture, settled, waitMs } = await sandbox.act(await kind.action(sandbox))
    await until(kind.name, async () => (await kind.hasHappened?.(sandbox)) ?? true)
    await pause(laterMs)
    const later = await stillPicture(sandbox, kind.moving)
    const share = shareShown(before, picture, later, kind)
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
async function stillPicture(sandbox: EffectSandbox, moving?: Rect): Promise<Pixels> {
  let last = await sandbox.look()
  await until('the screen does not become still', async () => {
    const previous = last
    await pause(500)
    last = await sandbox.look()
    return differing(previous, last, moving) < caretPixels
  })
  return last
}

function differing(a: Pixels, b: Pixels, moving?: Rect): number {
  let count = 0
  for (let at = 0; at < a.data.length; at += 3) if (!isSame(a, b, at) && !isIn(moving, a, at)) count++
  return count
}

/** The share of the pixels that an action changed for good, and that the picture already shows. */
function shareShown(before: Pixels, picture: Pixels, later: Pixels, kind: EffectKind): number {
  // The screen may change later for reasons of its own, such as a clock.
  if (kind.changesNothing) return differing(before, picture) < caretPixels ? 1 : 0
  let changed = 0
  let shown = 0
  for (let at = 0; at < later.data.length; at += 3) {
    if (isSame(before, later, at) || isIn(kind.moving, later, at)) continue
    changed++
    if (isSame(picture, later, at)) shown++
  }
  if (changed < minPixels) throw new Error(`${kind.name}: it changed ${changed} pixels only`)
  return shown / changed
}

function isIn(area: Rect | undefined, { width }: Pixels, at: number): boolean {
  if (!area) return false
  const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)]
  return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height
}

function isSame(a: Pixels, b: Pixels, at: number): boolean {
  return a.data[at] === b.data[at] && a.data[at + 1] === b.data[at + 1] && a.data[at + 2] === b.data[at + 2]
}
