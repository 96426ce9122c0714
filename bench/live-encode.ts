import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Picture } from '@sandglass/gateway/picture'
import type { Screen } from '@sandglass/machines/contract'
import { TestDesktop } from '@sandglass/machines/test-desktop'
import { FakeScreen } from '../packages/gateway/src/picture/testing/fake-screen.ts'
import { FakeViewer } from '../packages/gateway/src/picture/testing/fake-viewer.ts'
import { asNoVnc, asZrle, RfbBytes } from './rivals/rfb-bytes.ts'
import { median, p95, type Row, row } from './row.ts'

const motion = new URL('../packages/gateway/src/picture/testing/motion.py', import.meta.url)

/** Measures the time and bytes from damage to frames, compared with the encodings of Xtigervnc itself. */
export default async function bench(): Promise<Row[]> {
  const desktop = await TestDesktop.start()
  try {
    await desktop.shell(`cat > /tmp/motion.py <<'END'\n${await readFile(motion, 'utf8')}\nEND`)
    await desktop.open('xterm -geometry 120x40+20+20', 'xterm')
    return [
      ...(await delays(desktop)),
      ...(await bytes(desktop)),
      ...(await firstPictures(desktop)),
      await idle(desktop),
      await rooms(20),
    ]
  } finally {
    await desktop.close()
  }
}

/** What a person does at the desktop. It takes the same time for every viewer. */
const scenes: Readonly<Record<string, (desktop: TestDesktop) => Promise<unknown>>> = {
  'a keystroke': async desktop => {
    for (const character of 'the quick brown fox jumps over the lazy dog, and again, and again') {
      await desktop.type(character)
      await pause(40)
    }
    await desktop.press('ctrl+u')
  },
  'a scrolled line': desktop =>
    printed(
      desktop,
      'for i in $(seq 150); do echo "$i: some words of this line, $((i * 7919))"; sleep 0.02; done',
    ),
  'a page of text': desktop =>
    printed(
      desktop,
      'for i in $(seq 12); do seq $((i * 1000)) 7 $((i * 1000 + 2000)) | paste - - - - - - - - | head -39; sleep 0.4; done',
    ),
  'a film': desktop => desktop.shell('python3 /tmp/motion.py 256 128 640 384 6 30'),
}

async function printed(desktop: TestDesktop, script: string): Promise<void> {
  await desktop.shell('rm -f /tmp/printed')
  await desktop.shell(`cat > /tmp/script <<'END'\n${script}\ntouch /tmp/printed\nEND`)
  await desktop.type('. /tmp/script\n')
  await desktop.until(async () => (await desktop.shell('ls /tmp')).includes('printed'))
}

/** Resolves when the picture is exact again. */
const afterwardsMs = 1500

/** The time from a reported change to the frame that carries it. */
async function delays(desktop: TestDesktop): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, play] of Object.entries(scenes)) {
    const heard: number[] = []
    const times: number[] = []
    const picture = new Picture(recordingScreen(desktop.machine.screen, heard))
    const viewer = new FakeViewer(picture, { takesVideo: true })
    await pause(afterwardsMs)
    const frames = viewer.frames.length
    const send = viewer.send.bind(viewer)
    viewer.send = frame => {
      const [first] = heard.splice(0)
      if (first !== undefined) times.push(performance.now() - first)
      send(frame)
    }
    heard.length = 0
    const startMs = performance.now()
    await play(desktop)
    const seconds = (performance.now() - startMs) / 1000
    rows.push(
      row(`live: from damage to frame, ${name}, p50`, 'ms', median(times)),
      row(`live: from damage to frame, ${name}, p95`, 'ms', p95(times)),
      row(`live: frames of ${name}`, '1/s', (viewer.frames.length - frames) / seconds),
    )
    picture.close()
  }
  return rows
}

/** Records when each change was reported that no frame has carried yet. */
function recordingScreen(screen: Screen, heard: number[]): Screen {
  return {
    size: () => screen.size(),
    look: memory => screen.look(memory),
    sample: (...args) => screen.sample(...args),
    settled: options => screen.settled(options),
    input: () => screen.input(),
    watch: watcher =>
      screen.watch((changed, now) => {
        if (changed.length > 0) heard.push(performance.now())
        watcher(changed, now)
      }),
  }
}

/** Each viewer watches alone while the same is done. */
async function bytes(desktop: TestDesktop): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, play] of Object.entries(scenes)) {
    const played = async (count: () => number) => {
      await pause(afterwardsMs)
      const before = count()
      await play(desktop)
      await pause(afterwardsMs)
      return (count() - before) / 1024
    }
    const rival = async (encodings: readonly number[]) => {
      const client = await RfbBytes.open(desktop.machine, encodings)
      const kibibytes = await played(() => client.count)
      client.close()
      return kibibytes
    }
    const own = async (takesVideo: boolean) => {
      const picture = new Picture(desktop.machine.screen)
      const viewer = new FakeViewer(picture, { takesVideo })
      const kibibytes = await played(() => viewer.bytes)
      picture.close()
      return kibibytes
    }
    const [tight, zrle] = [await rival(asNoVnc), await rival(asZrle)]
    const [video, still] = [await own(true), await own(false)]
    rows.push(
      row(`live: bytes of ${name}, beside Tight as noVNC asks for it`, 'KiB', video, tight),
      row(`live: bytes of ${name} without video, beside Tight`, 'KiB', still, tight),
      row(`live: bytes of ${name}, beside ZRLE`, 'KiB', video, zrle),
    )
  }
  return rows
}

/** The time from a viewer's arrival at an unwatched screen until the screen is sent. */
async function firstPictures(desktop: TestDesktop): Promise<Row[]> {
  const photo = new FakeScreen(1280, 720)
  const shade = (x: number, y: number, rate: number) => Math.round(127 + 120 * Math.sin(x / rate + y / 97))
  photo.draw(
    { x: 0, y: 0, width: 1280, height: 720 },
    (x, y) => shade(x, y, 31) | (shade(y, x, 53) << 8) | (shade(x, -y, 71) << 16),
  )
  const screens: readonly (readonly [string, Screen])[] = [
    ['a terminal', desktop.machine.screen],
    ['a photo', photo],
  ]
  const rows: Row[] = []
  for (const [name, screen] of screens) {
    const times: number[] = []
    for (let round = 0; round < 20; round++) {
      const picture = new Picture(screen)
      const start = performance.now()
      const viewer = new FakeViewer(picture)
      while (!viewer.frames.some(frame => frame.type !== 'tiles' || frame.ops.length > 0)) await pause(0)
      times.push(performance.now() - start)
      picture.close()
    }
    rows.push(
      row(`live: the first picture of ${name}, p50`, 'ms', median(times)),
      row(`live: the first picture of ${name}, p95`, 'ms', p95(times)),
    )
  }
  return rows
}

async function idle(desktop: TestDesktop): Promise<Row> {
  const picture = new Picture(desktop.machine.screen)
  const viewer = new FakeViewer(picture, { takesVideo: true })
  await pause(3000)
  const sent = viewer.bytes
  const share = await processorShare(() => pause(10_000))
  picture.close()
  if (viewer.bytes !== sent) throw new Error(`an idle screen sent ${viewer.bytes - sent} bytes`)
  return row('live: processor of an idle room', '%', share)
}

/** Ten keystrokes per second in each room, all on one core. */
async function rooms(count: number): Promise<Row> {
  const rooms = Array.from({ length: count }, () => {
    const screen = new FakeScreen(1280, 720)
    const picture = new Picture(screen)
    return { screen, picture, viewer: new FakeViewer(picture) }
  })
  await pause(1000)
  const share = await processorShare(async () => {
    for (let key = 0; key < 100; key++) {
      for (const { screen } of rooms)
        screen.draw(
          { x: 40 + 9 * key, y: 300, width: 9, height: 15 },
          (x, y) => ((x * y * 37) % 3) * 0x555555,
        )
      await pause(100)
    }
  })
  for (const { picture } of rooms) picture.close()
  return row(`live: processor of ${count} rooms typing`, '%', share)
}

/** The share of one core that is used during the work. */
async function processorShare(work: () => Promise<unknown>): Promise<number> {
  const [startMs, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return (100 * (user + system)) / 1000 / (performance.now() - startMs)
}
