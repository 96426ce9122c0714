import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { TestDesktop } from '@sandglass/machines/test-desktop'
import { waitFor } from '@sandglass/machines/testing'
import { type PictureFrame, parseTiles } from '@sandglass/wire/frames'
import { Picture } from './picture.ts'
import { decodeH264 } from './testing/decode-h264.ts'
import { FakeViewer } from './testing/fake-viewer.ts'
import { showsExactly } from './testing/same-pixels.ts'

describe('the picture of a real desktop', () => {
  let desktop: TestDesktop
  let picture: Picture
  let viewer: FakeViewer
  const faults: unknown[] = []

  before(async () => {
    desktop = await TestDesktop.start()
    await desktop.open('xterm -geometry 100x30+40+40', 'xterm')
    picture = new Picture(desktop.machine.screen, { onFault: error => void faults.push(error) })
    viewer = new FakeViewer(picture, { takesVideo: true })
  })

  after(async () => {
    picture?.close()
    await desktop?.close()
  })

  /** A caret may blink meanwhile, so being exact once is enough. */
  const isExact = async () => {
    const { frame } = await desktop.machine.screen.look()
    return showsExactly(viewer, { words: new Uint32Array(frame.pixels.buffer) })
  }

  it('is shown from the beginning', async () => {
    await waitFor(isExact)
  })

  it('follows typing in few bytes', async () => {
    await waitFor(async () => viewer.unacknowledged === 0 && (await isExact()))
    const [bytes, frames] = [viewer.bytes, viewer.frames.length]
    await desktop.type('echo the quick brown fox')
    await waitFor(async () => viewer.frames.length > frames && (await isExact()))
    assert.ok(viewer.bytes - bytes < 10_000, `${viewer.bytes - bytes} bytes`)
  })

  it('sends scrolling in a terminal as copies', async () => {
    await desktop.type('clear; seq 1000 1029; touch /tmp/printed\n')
    await desktop.until(async () => (await desktop.shell('ls /tmp')).includes('printed'))
    await desktop.machine.screen.settled({ quietMs: 300, maxMs: 10_000 })
    const frames = viewer.frames.length
    await desktop.type('\n\n\n')
    const ops = () =>
      viewer.frames.slice(frames).flatMap(frame => ('ops' in frame ? [...parseTiles(frame.ops)] : []))
    await waitFor(() => ops().some(({ op, area }) => op === 'copy' && area.height > 100))
    await waitFor(isExact)
  })

  it('never sends text as video, however fast it scrolls', async () => {
    await desktop.shell('rm -f /tmp/printed')
    await desktop.type(
      'for i in $(seq 200); do echo "$i and $((i * 7919))"; sleep 0.01; done; touch /tmp/printed\n',
    )
    await desktop.until(async () => (await desktop.shell('ls /tmp')).includes('printed'))
    await waitFor(isExact)
    assert.ok(!viewer.frames.some(({ type }) => type === 'video'))
  })

  it('includes the pointer, its position and its shape', async () => {
    await (await desktop.machine.screen.input()).move({ x: 700, y: 600 })
    await waitFor(() => viewer.cursors.some(cursor => cursor.type === 'position' && cursor.x === 700))
    await waitFor(() => viewer.cursors.some(cursor => cursor.type === 'shape' && cursor.width > 4))
  })

  it('sends motion as video, and is exact again at rest', async () => {
    const script = await readFile(new URL('testing/motion.py', import.meta.url), 'utf8')
    await desktop.shell(`cat > /tmp/motion.py <<'END'\n${script}\nEND`)
    const player = await desktop.shell(
      'python3 /tmp/motion.py 320 192 448 320 60 30 >/dev/null 2>&1 & echo $!',
    )
    const videos = () => viewer.frames.filter(frame => frame.type === 'video')
    await waitFor(() => videos().length >= 10)
    await desktop.shell(`kill ${player}`)
    await waitFor(isExact)
    for (const stream of streamsOf(videos())) {
      const [first] = stream
      assert.ok(first?.isKey)
      const units = stream.map(({ bytes }) => bytes)
      assert.equal((await decodeH264(units, first.area)).length, stream.length)
    }
    assert.deepEqual(faults, [])
  })
})

type Video = Extract<PictureFrame, { type: 'video' }>

/** Splits the video frames into streams, each of which begins with a keyframe. */
function streamsOf(videos: readonly Video[]): Video[][] {
  const streams: Video[][] = []
  for (const video of videos) {
    if (video.isKey) streams.push([])
    streams.at(-1)?.push(video)
  }
  return streams
}
