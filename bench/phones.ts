import { buildImage } from '@sandglass/machines/images'
import { AdbClient } from './rivals/adb.ts'
import { InMachine } from './rivals/in-machine.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchSandbox, imagesDir, withService } from './service.ts'
import { timed } from './timed.ts'

const rounds = 60
/** As many of ours as of theirs before the turn changes. */
const turn = 20
const px = (value: number) => ({ type: 'px', value })
const bare = { includeScreenShot: false, includeCursorPosition: false }

/** On keys of the calculator, so that every tap changes the screen. */
const place = (round: number) => ({ x: 90 + 180 * (round % 3), y: 640 + 150 * (round % 2) })

/** Tapping and looking at a phone over HTTP, beside `adb` as a process each time, on the same device by turns. */
export default async function bench(): Promise<Row[]> {
  await buildImage('phone', { imagesDir, onProgress: console.error })
  const shape = { image: 'phone', cpus: 2, screen: { width: 720, height: 1280 } }
  return withService({ shapes: [shape] }, async service => {
    const sandbox = await service.create()
    const [inside] = await InMachine.open(service.folder, imagesDir)
    if (!inside) throw new Error('there is no machine')
    const adb = await AdbClient.connect(inside.machine, service.folder)
    try {
      await act(sandbox, { type: 'os:startApp', packageName: 'com.sandglass.calculator' })
      for (let round = 0; round < 100; round++) await look(sandbox, round, 'jpeg')
      return [...(await taps(sandbox, adb)), ...(await pictures(sandbox, adb))]
    } finally {
      await adb.close()
      inside.close()
    }
  })
}

function act(sandbox: BenchSandbox, action: object, more: object = bare) {
  return sandbox.call('POST', '/actions/execute', { action, ...more })
}

function tap(sandbox: BenchSandbox, round: number): Promise<unknown> {
  const { x, y } = place(round)
  return act(sandbox, { type: 'touch:tap', x: px(x), y: px(y) })
}

/** The picture itself, not only where it is. */
async function look(sandbox: BenchSandbox, round: number, screenShotFormat: string): Promise<number> {
  await tap(sandbox, round)
  return timed(async () => {
    const { screenShot } = await act(sandbox, { type: 'screenshot' }, { screenShotFormat })
    const answer = await fetch(screenShot)
    if (!answer.ok) throw new Error(`${screenShot}: ${answer.status}`)
    await answer.arrayBuffer()
  })
}

async function taps(sandbox: BenchSandbox, adb: AdbClient): Promise<Row[]> {
  const theirs = (round: number) => {
    const { x, y } = place(round)
    return timed(() => adb.run('shell', 'input', 'tap', `${x}`, `${y}`))
  }
  const times = await byTurns(theirs, round => timed(() => tap(sandbox, round)))
  return beside('tap over HTTP, beside adb shell input tap', times)
}

async function pictures(sandbox: BenchSandbox, adb: AdbClient): Promise<Row[]> {
  const theirs = async (round: number) => {
    await tap(sandbox, round)
    return timed(() => adb.run('exec-out', 'screencap', '-p'))
  }
  const rows: Row[] = []
  for (const format of ['webp', 'jpeg', 'png'])
    rows.push(
      ...beside(
        `screenshot over HTTP, ${format} in hand, beside adb exec-out screencap -p`,
        await byTurns(theirs, round => look(sandbox, round, format)),
      ),
    )
  return rows
}

interface Times {
  readonly ours: number[]
  readonly theirs: number[]
}

async function byTurns(
  theirs: (round: number) => Promise<number>,
  ours: (round: number) => Promise<number>,
): Promise<Times> {
  const times: Times = { ours: [], theirs: [] }
  for (let from = 0; from < rounds; from += turn) {
    for (let round = from; round < from + turn; round++) times.theirs.push(await theirs(round))
    for (let round = from; round < from + turn; round++) times.ours.push(await ours(round))
  }
  return times
}

function beside(name: string, { ours, theirs }: Times): Row[] {
  return [
    row(`${name} p50`, 'ms', median(ours), median(theirs)),
    row(`${name} p95`, 'ms', p95(ours), p95(theirs)),
  ]
}
