import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import {
  enableContinuousUpdates,
  fenceFlags,
  fenceRequest,
  framebufferUpdateRequest,
  pointerEvent,
  RfbClient,
  type RfbEvent,
  type RfbOptions,
} from '@sandglass/wire/rfb'
import type { Machine } from '../contract/machine.ts'
import type { LocalEngine } from '../engines/local/local-engine.ts'
import { type TestEngine, testEngine, testSpec } from '../engines/local/test-engine.ts'

const desktop = { x: 0, y: 0, width: 1280, height: 720 }

/** A client on a machine's screen. */
class Viewer {
  readonly events: RfbEvent[] = []
  readonly client: RfbClient
  readonly #stream: Duplex
  #wake = () => {}

  constructor(stream: Duplex, options: RfbOptions) {
    this.#stream = stream
    const listener = (event: RfbEvent) => this.events.push(event)
    this.client = new RfbClient({ ...options, send: bytes => stream.write(bytes), listener })
    stream.on('data', chunk => {
      this.client.receive(chunk)
      this.#wake()
    })
  }

  say(...messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#stream.write(message)
  }

  /** Waits until the events or the picture are as wished. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>(resolve => (this.#wake = resolve))
  }

  has(type: RfbEvent['type']): boolean {
    return this.events.some(event => event.type === type)
  }

  supports(feature: string): boolean {
    return this.events.some(event => event.type === 'supported' && event.feature === feature)
  }

  /** Red, green and blue of all pixels, as one number each. */
  colours(): Uint32Array {
    return this.client.framebuffer.words.map(word => word & 0xffffff)
  }

  close(): void {
    this.#stream.destroy()
  }
}

describe('the RFB client with a real server', { timeout: 60_000 }, () => {
  let test: TestEngine
  let engine: LocalEngine
  let machine: Machine
  const viewers: Viewer[] = []
  async function view(options: RfbOptions = {}): Promise<Viewer> {
    const viewer = new Viewer(await machine.dial('screen:rfb'), options)
    viewers.push(viewer)
    await viewer.until(() => viewer.has('ready') && viewer.supports('continuous-updates'))
    return viewer
  }

  before(async () => {
    test = await testEngine()
    engine = test.open()
    machine = await engine.open(await engine.create(testSpec()))
  })
  after(async () => {
    for (const viewer of viewers) viewer.close()
    await engine?.close()
    await test?.dispose()
  })

  it('shakes hands, and learns the size and what the server can do', async () => {
    const viewer = await view()
    assert.deepEqual(viewer.events[0], { type: 'ready', width: 1280, height: 720, name: 'sandbox' })
    viewer.say(framebufferUpdateRequest(desktop, false))
    await viewer.until(() => viewer.has('update'))
    for (const feature of ['fence', 'continuous-updates', 'qemu-key-event', 'set-desktop-size'])
      assert.ok(viewer.supports(feature), feature)
  })

  it('is told the damage by continuous updates, and where they stand by a fence', async () => {
    const viewer = await view()
    viewer.say(enableContinuousUpdates(true, desktop))
    await viewer.until(() => viewer.events.some(event => event.type === 'update' && event.rects.length > 0))
    const payload = Uint8Array.of(1, 2, 3)
    viewer.say(fenceRequest(fenceFlags.blockBefore, payload))
    await viewer.until(() => viewer.has('fence'))
    assert.deepEqual(
      viewer.events.filter(({ type }) => type === 'fence'),
      [{ type: 'fence', flags: fenceFlags.blockBefore, payload }],
    )

    viewer.events.splice(0)
    const args = ['-bg', '#fe0000', '-geometry', '30x8+300+200', '-e', 'sleep', '1000']
    await machine.exec({ executable: 'xterm', args })
    const damaged = (atX: number, atY: number) =>
      viewer.events.some(
        event =>
          event.type === 'update' &&
          event.rects.some(
            ({ x, y, width, height }) => atX >= x && atX < x + width && atY >= y && atY < y + height,
          ),
      )
    const [x, y] = [400, 280]
    await viewer.until(() => damaged(x, y) && viewer.colours()[y * 1280 + x] === 0x0000fe)
    assert.ok(!damaged(1200, 700), 'far from the window nothing has changed')

    viewer.say(enableContinuousUpdates(false, desktop))
    await viewer.until(() => viewer.has('continuous-updates-ended'))
  })

  it('gets the same picture raw and by ZRLE', async () => {
    const [raw, zrle] = [await view({ prefer: 'raw' }), await view({ prefer: 'zrle' })]
    // What programs still draw comes to both, so they are the same in the end.
    for (const viewer of [raw, zrle]) viewer.say(enableContinuousUpdates(true, desktop))
    const same = () => Buffer.compare(bytes(raw), bytes(zrle)) === 0
    await Promise.all([raw.until(() => isDrawn(raw)), zrle.until(() => isDrawn(zrle))])
    await Promise.race([raw.until(same), zrle.until(same)])
    assert.ok(same())
  })

  it('is told the shape of the cursor and its hotspot, once it has moved the pointer', async () => {
    const viewer = await view()
    viewer.say(enableContinuousUpdates(true, desktop), pointerEvent(100, 600, 0))
    const shapes = () =>
      viewer.events.flatMap(event => (event.type === 'cursor' && event.width > 0 ? [event] : []))
    await viewer.until(() => shapes().length > 0)
    for (const { width, height, hotX, hotY, rgba } of shapes()) {
      assert.ok(hotX < width && hotY < height)
      assert.equal(rgba.length, 4 * width * height)
      assert.ok(rgba.some((value, index) => index % 4 === 3 && value === 255))
    }
  })

  it('is told where a program has put the pointer', async () => {
    const viewer = await view()
    viewer.say(enableContinuousUpdates(true, desktop))
    await machine.exec({ executable: 'xdotool', args: ['mousemove', '640', '360'] })
    await viewer.until(() => viewer.has('pointer'))
    assert.deepEqual(
      viewer.events.find(({ type }) => type === 'pointer'),
      { type: 'pointer', x: 640, y: 360 },
    )
  })
})

const bytes = (viewer: Viewer) => new Uint8Array(viewer.colours().buffer)

/** The red window and what is around it are there. */
const isDrawn = (viewer: Viewer) => new Set(viewer.colours()).size > 5
