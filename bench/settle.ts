import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { buildImage } from '@sandglass/machines/images'
import { desktopKinds } from '../test/effects/desktop-kinds.ts'
import { EffectSandbox } from '../test/effects/effect-sandbox.ts'
import { phoneKinds } from '../test/effects/phone-kinds.ts'
import { effectShapes } from '../test/effects/shapes.ts'
import { type Trial, tryOnce } from '../test/effects/trial.ts'
import { median, type Row, row } from './row.ts'
import { imagesDir, withService } from './service.ts'

/** How many screenshots are taken, half of them next to a load. A few are enough to see whether it works. */
const screenshots = Number(process.env['SANDGLASS_BENCH_SCREENSHOTS'] ?? 600)

/** What the usual loop of a demo sleeps between an action and the screenshot. */
const sleepMs = 2000

/**
 * The share of screenshots that show the effect of the action before them, on a quiet box and next to programs that
 * keep every processor busy, and how long the action took, compared with a fixed sleep.
 */
export default async function bench(): Promise<Row[]> {
  for (const { image } of effectShapes) await buildImage(image, { imagesDir, onProgress: console.error })
  return withService({ shapes: effectShapes }, async service => {
    const desktop = new EffectSandbox(service.client, (await service.create('desktop')).id)
    const phone = new EffectSandbox(service.client, (await service.create('phone')).id)
    const all = [
      ...desktopKinds.map(kind => () => tryOnce(kind, desktop)),
      ...phoneKinds.map(kind => () => tryOnce(kind, phone)),
    ]
    const rounds = Math.ceil(screenshots / 2 / all.length)
    const quiet = await trials(all, rounds)
    const busy = await besideLoad(() => trials(all, rounds))
    return [...rowsOf('a quiet box', quiet), ...rowsOf('a busy box', busy)]
  })
}

async function trials(all: readonly (() => Promise<Trial>)[], rounds: number): Promise<Trial[]> {
  const done: Trial[] = []
  for (let round = 0; round < rounds; round++)
    for (const one of all) {
      const trial = await one()
      done.push(trial)
      if (!trial.isShown) console.error('not shown:', JSON.stringify(trial))
    }
  return done
}

/** Runs work next to one endless program per processor. */
async function besideLoad<T>(work: () => Promise<T>): Promise<T> {
  const load: ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
    spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
  )
  try {
    return await work()
  } finally {
    await Promise.all(load.map(child => child.kill('SIGKILL') && once(child, 'exit')))
  }
}

function rowsOf(where: string, done: readonly Trial[]): Row[] {
  const shown = done.filter(({ isShown }) => isShown).length
  const kinds = Map.groupBy(done, ({ kind }) => kind)
  for (const [kind, ofKind] of kinds)
    console.error(`${where}: ${kind}: ${median(ofKind.map(({ waitMs }) => waitMs)).toFixed(0)} ms`)
  const waits = done.map(({ waitMs }) => waitMs)
  return [
    row(`screenshots that show the effect on ${where}, of ${done.length}`, '%', (100 * shown) / done.length),
    row(`action with screenshot on ${where} p50, beside a sleep of 2 s`, 'ms', median(waits), sleepMs),
  ]
}
