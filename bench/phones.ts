import { buildImage } from '@sandglass/machines/images'
import { AdbClient } from './rivals/adb.ts'
import { InMachine } from './rivals/in-machine.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchSandbox, imagesDir, withService } from './service.ts'
import { timed } from './timed.ts'

const rounds = 60
/** How many of each run before the other's turn. */
const turn = 20
/** Warm-up rounds: a service that runs for days has its code compiled, while `adb` is started anew each time. */
const warmUps = 200
const px = (value: number) => ({ type: 'px', value })
const bare = { includeScreenShot: false, includeCursorPosition: false }

type Point = { readonly x: number; readonly y: number }

/** A calculator shows a new number each time, so that no screenshot equals a previous one. */
class Calculator {
  readonly #sandbox: BenchSandbox
  readonly #keys: ReadonlyMap<string, Point>
  #shown = 1000

  private constructor(sandbox: BenchSandbox, keys: ReadonlyMap<string, Point>) {
    this.#sandbox = sandbox
    this.#keys = keys
  }

  static async open(sandbox: BenchSandbox): Promise<Calculator> {
    const start = { type: 'os:startApp', packageName: 'com.sandglass.calculator' }
    const { uiTree } = await act(sandbox, start, { includeUiTree: true })
    const keys = new Map<string, Point>()
    for (const { text = '', bounds } of uiTree ?? [])
      keys.set(text, { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 })
    return new Calculator(sandbox, keys)
  }

  place(key: string): Point {
    return this.#keys.get(key) ?? { x: 0, y: 0 }
  }

  async showAnother(): Promise<void> {
    const actions = [...`C${this.#shown++}`].map(key => tapAt(this.place(key)))
    const { client, id: sandboxId } = this.#sandbox
    await client.executeSandboxActions({ sandboxId, body: { actions, ...bare } })
  }
}

/**
 * Taps and screenshots on a phone over HTTP, compared with one `adb` process per call, alternating on the same
 * device.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('phone', { imagesDir, onProgress: console.error })
  const shape = { image: 'phone', cpus: 2, screen: { width: 720, height: 1280 } }
  return withService({ shapes: [shape] }, async service => {
    const sandbox = await service.create()
    const [inside] = await InMachine.open(service.folder, imagesDir)
    if (!inside) throw new Error('there is no machine')
    const adb = await AdbClient.connect(inside.machine, service.folder)
    try {
      const calculator = await Calculator.open(sandbox)
      for (let round = 0; round < 50; round++) await look(sandbox, calculator, 'jpeg')
      return [...(await taps(sandbox, calculator, adb)), ...(await pictures(sandbox, calculator, adb))]
    } finally {
      await adb.close()
      inside.close()
    }
  })
}

function act(sandbox: BenchSandbox, action: object, more: object = bare) {
  return sandbox.act({ action, ...more })
}

function tapAt({ x, y }: Point) {
  return { type: 'touch:tap', x: px(x), y: px(y) }
}

/** Fetches the picture; without a format, only its URL. */
async function look(
  sandbox: BenchSandbox,
  calculator: Calculator,
  screenShotFormat?: string,
): Promise<number> {
  await calculator.showAnother()
  return timed(async () => {
    const { screenShot = '' } = await act(sandbox, { type: 'screenshot' }, { screenShotFormat })
    if (screenShotFormat === undefined) return
    const answer = await fetch(screenShot)
    if (!answer.ok) throw new Error(`${screenShot}: ${answer.status}`)
    await answer.arrayBuffer()
  })
}

async function taps(sandbox: BenchSandbox, calculator: Calculator, adb: AdbClient): Promise<Row[]> {
  const at = (round: number) => calculator.place(round % 2 === 0 ? '7' : 'C')
  const theirs = (round: number) =>
    timed(() => adb.run('shell', 'input', 'tap', `${at(round).x}`, `${at(round).y}`))
  const ours = (round: number) => timed(() => act(sandbox, tapAt(at(round))))
  for (let round = 0; round < warmUps; round++) await ours(round)
  const times = await alternate(theirs, ours)
  return beside('tap over HTTP, beside adb shell input tap', times)
}

async function pictures(sandbox: BenchSandbox, calculator: Calculator, adb: AdbClient): Promise<Row[]> {
  const theirs = async () => {
    await calculator.showAnother()
    return timed(() => adb.run('exec-out', 'screencap', '-p'))
  }
  const rows = beside(
    'screenshot over HTTP, its URL in hand, beside adb exec-out screencap -p',
    await alternate(theirs, () => look(sandbox, calculator)),
  )
  for (const format of ['webp', 'jpeg', 'png'])
    rows.push(
      ...beside(
        `screenshot over HTTP, ${format} in hand, beside adb exec-out screencap -p`,
        await alternate(theirs, () => look(sandbox, calculator, format)),
      ),
    )
  return rows
}

interface Times {
  readonly ours: number[]
  readonly theirs: number[]
}

async function alternate(
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
