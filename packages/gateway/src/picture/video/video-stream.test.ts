import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { installMissing } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import type { PictureFrame } from '@sandglass/wire/frames'
import { Picture } from '../picture.ts'
import { decodeH264 } from '../testing/decode-h264.ts'
import { FakeScreen } from '../testing/fake-screen.ts'
import { FakeViewer } from '../testing/fake-viewer.ts'
import { showsExactly } from '../testing/same-pixels.ts'

type Video = Extract<PictureFrame, { type: 'video' }>

const screenSize = { width: 640, height: 400 }
/** The area with motion; the rest of the screen stays. */
const movingArea = { x: 64, y: 64, width: 320, height: 192 }

before(() => installMissing())

function videosOf(viewer: FakeViewer): Video[] {
  return viewer.frames.filter(frame => frame.type === 'video')
}

/** Smooth motion as in a video: a changing colour with something in front of it. */
function play(screen: FakeScreen, moment: number): void {
  const shade = (moment * 5) & 0xff
  screen.draw(movingArea, (x, y) => shade | (((x + moment * 3) & 0xff) << 8) | ((y & 0xff) << 16))
}

function started(): { screen: FakeScreen; picture: Picture; failures: unknown[] } {
  const failures: unknown[] = []
  const screen = new FakeScreen(screenSize.width, screenSize.height)
  const picture = new Picture(screen, { onFault: error => void failures.push(error) })
  return { screen, picture, failures }
}

async function playUntil(screen: FakeScreen, isEnough: () => boolean): Promise<void> {
  let moment = 0
  await waitFor(async () => {
    play(screen, moment++)
    await pause(16)
    return isEnough()
  })
}

test('motion is sent as valid video, and is exact again at rest', async () => {
  const { screen, picture, failures } = started()
  try {
    const [viewer, plain] = [new FakeViewer(picture, { takesVideo: true }), new FakeViewer(picture)]
    await playUntil(screen, () => videosOf(viewer).length >= 20)
    const videos = videosOf(viewer)
    const [first] = videos
    assert.ok(first?.isKey)
    assert.deepEqual(first.area, movingArea)
    const stream =
      videos.slice(
        0,
        videos.findIndex((video, at) => at > 0 && video.isKey),
      ).length || videos.length
    const pictures = await decodeH264(
      videos.slice(0, stream).map(({ bytes }) => bytes),
      movingArea,
    )
    assert.equal(pictures.length, stream)
    await waitFor(() => showsExactly(viewer, screen) && showsExactly(plain, screen))
    assert.equal(videosOf(plain).length, 0)
    assert.deepEqual(failures, [])
  } finally {
    picture.close()
  }
})

test('a decoded video frame looks like the screen', async () => {
  const { screen, picture } = started()
  try {
    const viewer = new FakeViewer(picture, { takesVideo: true })
    await playUntil(screen, () => videosOf(viewer).length >= 3)
    screen.fill(movingArea, 0x3060c0)
    const count = videosOf(viewer).length
    await waitFor(() => videosOf(viewer).length > count)
    await waitFor(() => showsExactly(viewer, screen))
    const last = (
      await decodeH264(
        videosOf(viewer).map(({ bytes }) => bytes),
        movingArea,
      )
    ).at(-1)
    const middle = 3 * (96 * movingArea.width + 160)
    const [red = 0, green = 0, blue = 0] = last?.subarray(middle, middle + 3) ?? []
    for (const [got, wanted] of [
      [red, 0xc0],
      [green, 0x60],
      [blue, 0x30],
    ] as const)
      assert.ok(Math.abs(got - wanted) < 12, `${red},${green},${blue}`)
  } finally {
    picture.close()
  }
})

/** Different letters each time, as fast as a program can print. */
function print(screen: FakeScreen, moment: number): void {
  const isInk = (x: number, y: number) => Math.imul((x >> 1) * 31 + y * 7 + moment, 0x9e3779b1) >>> 29 === 0
  screen.draw(movingArea, (x, y) => (isInk(x, y) ? 0xffffff : 0))
}

test('text is never sent as video, however fast it changes, and video stops when it becomes text', async () => {
  const { screen, picture } = started()
  try {
    const viewer = new FakeViewer(picture, { takesVideo: true })
    const printed = async () => {
      for (let moment = 0; moment < 60; moment++) {
        print(screen, moment)
        await pause(16)
      }
    }
    await printed()
    assert.equal(videosOf(viewer).length, 0)
    await playUntil(screen, () => videosOf(viewer).length >= 5)
    let tiles = 0
    await waitFor(async () => {
      await printed()
      tiles = viewer.frames.slice(viewer.frames.findLastIndex(({ type }) => type === 'video')).length
      return tiles > 20
    })
    await waitFor(() => showsExactly(viewer, screen))
  } finally {
    picture.close()
  }
})

test('a photo that is scrolled by copies is not sent as video', async () => {
  const { screen, picture } = started()
  try {
    play(screen, 0)
    const viewer = new FakeViewer(picture, { takesVideo: true })
    await waitFor(() => showsExactly(viewer, screen))
    const { x, y, width, height } = movingArea
    for (let moment = 1; moment < 60; moment++) {
      screen.copy({ x, y, width, height: height - 2 }, { x, y: y + 2 })
      screen.draw({ x, y: y + height - 2, width, height: 2 }, x => (x * moment) & 1)
      await pause(16)
    }
    assert.equal(videosOf(viewer).length, 0)
    await waitFor(() => showsExactly(viewer, screen))
  } finally {
    picture.close()
  }
})

test('areas that are copied out of and into a video are exact again at rest', async () => {
  const { screen, picture } = started()
  const beside = { x: 448, y: 64, width: 128, height: 128 }
  try {
    const viewer = new FakeViewer(picture, { takesVideo: true })
    await playUntil(screen, () => videosOf(viewer).length >= 3)
    const videos = videosOf(viewer).length
    await playUntil(screen, () => {
      screen.copy(beside, movingArea)
      screen.copy({ ...beside, y: 192 }, beside)
      screen.copy({ ...movingArea, width: 100, height: 80 }, beside)
      return videosOf(viewer).length >= videos + 10
    })
    await waitFor(() => showsExactly(viewer, screen))
  } finally {
    picture.close()
  }
})

test('ten viewers of a video cost one encoder, and one that stalls delays nobody', async () => {
  const { screen, picture } = started()
  try {
    const viewers = Array.from({ length: 10 }, () => new FakeViewer(picture, { takesVideo: true }))
    const stalled = new FakeViewer(picture, { takesVideo: true, acknowledgesItself: false })
    await playUntil(screen, () => viewers.every(viewer => videosOf(viewer).length >= 30))
    const { units } = picture.counters
    for (const viewer of viewers) assert.ok(videosOf(viewer).length <= units)
    assert.ok(stalled.frames.length < 20, `${stalled.frames.length} frames`)
    await waitFor(() => {
      stalled.acknowledge()
      return [stalled, ...viewers].every(viewer => showsExactly(viewer, screen))
    })
  } finally {
    picture.close()
  }
})

test('a viewer that joins during a video gets the screen immediately and the video soon', async () => {
  const { screen, picture } = started()
  try {
    const first = new FakeViewer(picture, { takesVideo: true })
    await playUntil(screen, () => videosOf(first).length >= 5)
    const late = new FakeViewer(picture, { takesVideo: true })
    await playUntil(screen, () => videosOf(late).length >= 5)
    assert.notEqual(late.frames[0]?.type, 'video')
    assert.ok(videosOf(late)[0]?.isKey)
    await waitFor(() => showsExactly(late, screen) && showsExactly(first, screen))
  } finally {
    picture.close()
  }
})

test('without an encoder everybody gets images, and the error is reported once', async () => {
  const failures: unknown[] = []
  const screen = new FakeScreen(screenSize.width, screenSize.height)
  const picture = new Picture(screen, {
    ffmpeg: '/no/such/ffmpeg',
    onFault: error => void failures.push(error),
  })
  try {
    const viewer = new FakeViewer(picture, { takesVideo: true })
    await playUntil(screen, () => failures.length > 0)
    await playUntil(screen, () => viewer.frames.length > 30)
    await waitFor(() => showsExactly(viewer, screen))
    assert.equal(failures.length, 1)
    assert.equal(videosOf(viewer).length, 0)
  } finally {
    picture.close()
  }
})

for (const [what, signal] of [
  ['is killed', 'SIGKILL'],
  ['hangs', 'SIGSTOP'],
] as const)
  test(`an encoder that ${what} is replaced, and the video continues`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandglass-video-'))
    await chmod(folder, 0o777)
    const program = join(folder, 'encoder')
    const pids = join(folder, 'pids')
    await writeFile(program, `#!/bin/sh\necho $$ >> ${pids}\nexec ffmpeg "$@"\n`, { mode: 0o755 })
    const failures: unknown[] = []
    const screen = new FakeScreen(screenSize.width, screenSize.height)
    const picture = new Picture(screen, { ffmpeg: program, onFault: error => void failures.push(error) })
    try {
      const viewer = new FakeViewer(picture, { takesVideo: true })
      await playUntil(screen, () => videosOf(viewer).length >= 5)
      const running = (await readFile(pids, 'utf8')).trim().split('\n').map(Number)
      process.kill(running.at(-1) ?? 0, signal)
      await playUntil(screen, () => failures.length > 0)
      const before = videosOf(viewer).length
      await playUntil(screen, () => videosOf(viewer).length >= before + 5)
      await waitFor(() => showsExactly(viewer, screen))
    } finally {
      picture.close()
      await rm(folder, { recursive: true })
    }
  })

test('viewers do not wait for an encoder that produces nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-video-'))
  const program = join(folder, 'mute')
  await writeFile(program, '#!/bin/sh\nexec cat >/dev/null\n', { mode: 0o755 })
  await chmod(folder, 0o755)
  const screen = new FakeScreen(screenSize.width, screenSize.height)
  const picture = new Picture(screen, { ffmpeg: program })
  try {
    const viewer = new FakeViewer(picture, { takesVideo: true })
    for (let moment = 0; moment < 30; moment++) {
      play(screen, moment)
      await pause(16)
    }
    await waitFor(() => showsExactly(viewer, screen))
  } finally {
    picture.close()
    await rm(folder, { recursive: true })
  }
})
