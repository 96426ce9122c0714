import { setTimeout } from 'node:timers/promises'
import { buildImage } from '@sandglass/machines/images'
import { LeanCaller } from './lean-caller.ts'
import { processorMs } from './processor-time.ts'
import { InMachine } from './rivals/in-machine.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchSandbox, type BenchService, imagesDir, withService } from './service.ts'
import { timed } from './timed.ts'

const rounds = 60
/** The kernel counts processor time in steps of 10 ms, so many clicks are measured together. */
const clicksForCost = 100
/** How often each of many sandboxes is clicked in. */
const crowdRounds = 40
/** How many clicks per second a crowd is asked for at least, and for how long. */
const crowdRate = 300
const pacedSeconds = 15
/** How many of each run before the other's turn. */
const turn = 30
const px = (value: number) => ({ type: 'px', value })
const place = (round: number) => ({ x: 100 + ((round * 37) % 900), y: 100 + ((round * 23) % 500) })
/** Positions that ours never use, since xdotool waits forever for a pointer that is there already. */
const theirPlace = (round: number) => ({ ...place(round), y: 30 + round })
const fifty = 'The quick brown fox jumps over 13 lazy dogs, OK?! '

/**
 * Actions and screenshots over HTTP, compared with the processes that other projects start for them in the same
 * desktop.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('rivals', { imagesDir, onProgress: console.error })
  return withService({ shapes: [{ image: 'rivals', cpus: 2 }] }, async service => {
    const sandbox = await service.create()
    const [theirs] = await InMachine.open(service.folder, imagesDir)
    if (!theirs) throw new Error('there is no machine')
    try {
      await theirs.shell('xterm -geometry 100x30+200+150 >/dev/null 2>&1 &')
      await setTimeout(2000)
      await warmUp(sandbox)
      const rows = [
        ...(await clicks(sandbox, theirs)),
        ...(await pictures(sandbox, theirs, 'a flat screen')),
        ...(await smallChanges(sandbox)),
        await unfetched(service, sandbox),
        ...(await typing(sandbox, theirs)),
      ]
      await theirs.shell(
        'convert -size 1280x720 plasma:fractal -attenuate 0.3 +noise Gaussian /tmp/photo.png; kill $(pidof xterm); display -window root /tmp/photo.png',
      )
      rows.push(...(await pictures(sandbox, theirs, 'a photo')))
      return [...rows, ...(await crowds(service, sandbox))]
    } finally {
      theirs.close()
    }
  })
}

const scrot = ['scrot', '--overwrite', '/tmp/shot.png']
const xdotoolClick = ({ x, y }: { x: number; y: number }) => [
  'xdotool',
  'mousemove',
  '--sync',
  `${x}`,
  `${y}`,
  'click',
  '1',
]

const click = (round: number, more: object) => {
  const { x, y } = place(round)
  return { action: { type: 'mouse:click', x: px(x), y: px(y), button: 1 }, ...more }
}

/** Warms up, since a service that has run for a while has its code compiled. */
async function warmUp(sandbox: BenchSandbox): Promise<void> {
  for (let round = 0; round < 200; round++)
    await sandbox.act(click(round, { settle: 'none', includeScreenShot: round % 4 === 0 }))
}

/** Alternates between theirs and ours; the first round of each is a warm-up. */
async function alternate(
  theirs: (from: number) => Promise<number[]>,
  ours: (round: number) => Promise<unknown>,
): Promise<{ ours: number[]; theirs: number[] }> {
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] }
  for (let from = 0; from < rounds; from += turn) {
    times.theirs.push(...(await theirs(from)))
    for (let round = from; round < from + turn; round++) {
      const took = await timed(() => ours(round))
      if (round > 0) times.ours.push(took)
    }
  }
  return times
}

function beside(name: string, { ours, theirs }: { ours: number[]; theirs: number[] }): Row[] {
  return [
    row(`${name} p50`, 'ms', median(ours), median(theirs)),
    row(`${name} p95`, 'ms', p95(ours), p95(theirs)),
  ]
}

async function clicks(sandbox: BenchSandbox, theirs: InMachine): Promise<Row[]> {
  const bare = { includeScreenShot: false, includeCursorPosition: false }
  const times = await alternate(
    from => theirs.times(turn, round => [xdotoolClick(theirPlace(from + round))]),
    round => sandbox.act(click(round + 1, bare)),
  )
  return beside('click over HTTP, beside xdotool', times)
}

async function pictures(sandbox: BenchSandbox, theirs: InMachine, screen: string): Promise<Row[]> {
  const act = (round: number, screenShotFormat: string) =>
    sandbox.act(click(round + 1, { settle: 'none', screenShotFormat }))
  const fetched = (format: string) => async (round: number) => {
    const { screenShot = '' } = await act(round, format)
    const answer = await fetch(screenShot)
    if (!answer.ok) throw new Error(`${screenShot}: ${answer.status}`)
    await answer.arrayBuffer()
  }
  const a = (from: number) => theirs.times(turn, round => [xdotoolClick(theirPlace(from + round)), scrot])
  const rows = beside(
    `click and picture URL on ${screen}, beside xdotool and scrot`,
    await alternate(a, round => act(round, 'jpeg')),
  )
  for (const format of ['jpeg', 'png', 'webp'])
    rows.push(
      ...beside(
        `click and ${format} in hand on ${screen}, beside xdotool and scrot`,
        await alternate(a, fetched(format)),
      ),
    )
  if (screen !== 'a flat screen') return rows
  const resize = ['convert', '/tmp/shot.png', '-resize', '1024x576', '/tmp/small.png']
  const b = (from: number) =>
    theirs.times(turn, round => [xdotoolClick(theirPlace(from + round)), scrot, resize])
  rows.push(
    ...beside(
      `click and jpeg in hand, beside xdotool, scrot and convert`,
      await alternate(b, fetched('jpeg')),
    ),
  )
  const grab = [
    'ffmpeg',
    '-y',
    '-f',
    'x11grab',
    '-video_size',
    '1280x720',
    '-i',
    ':0',
    '-frames:v',
    '1',
    '/tmp/grab.png',
  ]
  const c = () => theirs.times(turn, () => [grab])
  rows.push(
    ...beside(`click and jpeg in hand, beside ffmpeg's picture alone`, await alternate(c, fetched('jpeg'))),
  )
  return rows
}

async function typing(sandbox: BenchSandbox, theirs: InMachine): Promise<Row[]> {
  await theirs.shell(
    'xterm -geometry 100x30+200+150 -e "stty -icanon -echo; cat > /tmp/typed" >/dev/null 2>&1 &',
  )
  await setTimeout(1500)
  await sandbox.act(click(5, {}))
  const bare = { includeScreenShot: false, includeCursorPosition: false }
  const theirTimes = await theirs.times(turn, () => [['xdotool', 'type', '--delay', '12', fifty]])
  await theirs.shell(': > /tmp/typed')
  const ourTimes: number[] = []
  for (let round = 0; round < rounds; round++)
    ourTimes.push(
      await timed(() =>
        sandbox.act({
          action: { type: 'keyboard:type', content: fifty },
          ...bare,
        }),
      ),
    )
  await setTimeout(1000)
  const typed = await theirs.shell('cat /tmp/typed')
  const content = typed.slice(typed.indexOf('The'))
  if (content !== fifty.repeat(rounds)) throw new Error(`what was typed is not what came: ${content.length}`)
  return beside('50 characters over HTTP, exact, beside xdotool type --delay 12', {
    ours: ourTimes,
    theirs: theirTimes,
  })
}

/** A character in a terminal, and the picture of it. */
async function smallChanges(sandbox: BenchSandbox): Promise<Row[]> {
  await sandbox.act(click(5, {}))
  const rows: Row[] = []
  for (const screenShotFormat of ['jpeg', 'png', 'webp'] as const) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const action = { type: 'keyboard:type', content: 'x' }
      const { screenShot = '' } = await sandbox.act({
        action,
        settle: { quietMs: 20 },
        screenShotFormat,
      })
      const took = await timed(async () => (await fetch(screenShot)).arrayBuffer())
      if (round > 3) times.push(took)
    }
    rows.push(
      row(`${screenShotFormat} in hand after a small change, from its URL, p50`, 'ms', median(times)),
      row(`${screenShotFormat} in hand after a small change, from its URL, p95`, 'ms', p95(times)),
    )
  }
  return rows
}

/** What a screenshot costs all processes of the service if nobody fetches it: beside the same click without one. */
async function unfetched({ pid }: BenchService, sandbox: BenchSandbox): Promise<Row> {
  const perClick = async (more: object) => {
    const before = await processorMs(pid)
    for (let round = 0; round < clicksForCost; round++)
      await sandbox.act(click(round, { settle: 'none', ...more }))
    return ((await processorMs(pid)) - before) / clicksForCost
  }
  const costs: number[] = []
  for (let round = 0; round < 5; round++)
    costs.push(
      (await perClick({ screenShotFormat: 'jpeg' })) - (await perClick({ includeScreenShot: false })),
    )
  return row('processor time of a screenshot that nobody fetches', 'ms', median(costs))
}

/** Clicks in one of a crowd. A picture is taken, and not fetched. */
function clickOf(caller: LeanCaller, { url, headers }: BenchSandbox, round: number): Promise<void> {
  const body = click(round, { settle: 'none', screenShotFormat: 'jpeg' })
  return caller.post(`${url}/actions/execute`, headers, body)
}

/** Clicks in all of them at once, in each one after the other, and returns how long each took. */
async function clicksIn(
  caller: LeanCaller,
  sandboxes: readonly BenchSandbox[],
  times: number,
): Promise<number[]> {
  const took: number[] = []
  await Promise.all(
    sandboxes.map(async sandbox => {
      for (let round = 0; round < times; round++)
        took.push(await timed(() => clickOf(caller, sandbox, round)))
    }),
  )
  return took
}

/**
 * Clicks in each of them in turn, so many times per second in total, for some seconds. Returns how long each click took since it was
 * due, so that one that waits for the click before it in its sandbox counts as slow.
 */
async function pacedClicksIn(
  caller: LeanCaller,
  sandboxes: readonly BenchSandbox[],
  perSecond: number,
): Promise<number[]> {
  const start = performance.now()
  const took = await Promise.all(
    sandboxes.map(async (sandbox, index) => {
      const times: number[] = []
      for (let number = index; number < perSecond * pacedSeconds; number += sandboxes.length) {
        const due = start + (1000 * number) / perSecond
        await setTimeout(Math.max(0, due - performance.now()))
        await clickOf(caller, sandbox, number)
        times.push(performance.now() - due)
      }
      return times
    }),
  )
  return took.flat()
}

/**
 * Clicks that return a picture URL, in many sandboxes at once: as fast as they are answered, and so many per second. The first
 * click in each opens its screen.
 */
async function crowds(service: BenchService, first: BenchSandbox): Promise<Row[]> {
  const rows: Row[] = []
  const sandboxes = [first]
  using caller = new LeanCaller()
  for (const count of [1, 10, 30]) {
    const fresh: BenchSandbox[] = []
    while (sandboxes.length + fresh.length < count) fresh.push(await service.create())
    const firsts = await clicksIn(caller, fresh, 1)
    sandboxes.push(...fresh)
    const times: number[] = []
    const whole = await timed(async () => {
      times.push(...(await clicksIn(caller, sandboxes, crowdRounds)))
    })
    const where = `${count} sandboxes at once`
    if (firsts.length > 0)
      rows.push(
        row(`first click and picture URL, ${fresh.length} new sandboxes at once, p95`, 'ms', p95(firsts)),
      )
    rows.push(
      row(`click and picture URL, ${where}, p50`, 'ms', median(times)),
      row(`click and picture URL, ${where}, p95`, 'ms', p95(times)),
      row(`click and picture URL, ${where}`, '1/s', (1000 * times.length) / whole),
    )
    if (count === 1) continue
    const paced = await pacedClicksIn(caller, sandboxes, crowdRate)
    rows.push(
      row(`click and picture URL, ${where}, ${crowdRate} per second in total, p50`, 'ms', median(paced)),
      row(`click and picture URL, ${where}, ${crowdRate} per second in total, p95`, 'ms', p95(paced)),
    )
  }
  return rows
}
