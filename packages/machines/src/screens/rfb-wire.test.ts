import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import {
  enableContinuousUpdates,
  fenceFlags,
  fenceRequest,
  framebufferUpdateRequest,
  pointerEvent,
  type Rect,
  RfbClient,
  type RfbEvent,
  type RfbOptions,
} from '@sandglass/wire/rfb'
import type { Machine } from '../contract/machine.ts'
import type { LocalEngine } from '../engines/local/local-engine.ts'
import { type TestEngine, testEngine, testSpec } from '../engines/local/test-engine.ts'

const desktop = { x: 0, y: 0, width: 1280, height: 720 }

/** A client that is connected to the screen of a machine. */
class Viewer {
  readonly events: RfbEvent[] = []
  readonly client: RfbClient
  readonly #stream: Duplex
  bytesReceived = 0
  #wake = () => {}

  constructor(stream: Duplex, options: RfbOptions) {
    this.#stream = stream
    const listener = (event: RfbEvent) => this.events.push(event)
    this.client = new RfbClient({ ...options, send: bytes => stream.write(bytes), listener })
    stream.on('data', chunk => {
      this.client.receive(chunk)
      this.bytesReceived += chunk.length
      this.#wake()
    })
  }

  say(...messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#stream.write(message)
  }

  /** Waits until the events or the picture satisfy the condition. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>(resolve => (this.#wake = resolve))
  }

  has(type: RfbEvent['type']): boolean {
    return this.events.some(event => event.type === type)
  }

  supports(feature: string): boolean {
    return this.events.some(event => event.type === 'supported' && event.feature === feature)
  }

  /** The colour as 0xBBGGRR. */
  colourAt(x: number, y: number): number {
    return (this.client.framebuffer.words[y * 1280 + x] ?? 0) & 0xffffff
  }

  /** The picture without the padding bytes, whose value is undefined. */
  picture(): Uint8Array {
    return new Uint8Array(this.client.framebuffer.words.map(word => word & 0xffffff).buffer)
  }

  close(): void {
    this.#stream.destroy()
  }
}

describe('the RFB client with a real server', () => {
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

  it('completes the handshake, and learns the size and the features of the server', async () => {
    const viewer = await view()
    assert.deepEqual(viewer.events[0], { type: 'ready', width: 1280, height: 720, name: 'sandbox' })
    viewer.say(framebufferUpdateRequest(desktop, false))
    await viewer.until(() => viewer.has('update'))
    for (const feature of ['fence', 'continuous-updates', 'qemu-key-event', 'set-desktop-size'])
      assert.ok(viewer.supports(feature), feature)
  })

  it('receives damage by continuous updates, in order with fences', async () => {
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
    const place = { x: 300, y: 200, width: 200, height: 100 }
    await paint(machine, 0xff0000, place)
    const damage = () => viewer.events.flatMap(event => (event.type === 'update' ? event.rects : []))
    await viewer.until(() => damage().length > 0)
    assert.deepEqual(damage(), [place])
    for (const [x, y, colour] of [
      [300, 200, 0x0000ff],
      [499, 299, 0x0000ff],
      [299, 200, 0],
      [500, 299, 0],
    ] as const)
      assert.equal(viewer.colourAt(x, y), colour)

    viewer.say(enableContinuousUpdates(false, desktop))
    await viewer.until(() => viewer.has('continuous-updates-ended'))
  })

  it('decodes the same picture from Raw and from ZRLE', async () => {
    for (const [index, colour] of [0x123456, 0xfedcba, 0x00ff00, 0x0000ff].entries())
      await paint(machine, colour, { x: 37 * index, y: 500 + 3 * index, width: 50, height: 70 })
    const [raw, zrle] = [await view({ prefer: 'raw' }), await view({ prefer: 'zrle' })]
    // What was painted a moment ago may arrive in a later update; in the end both pictures are the same.
    for (const viewer of [raw, zrle]) viewer.say(enableContinuousUpdates(true, desktop))
    const drawn = (viewer: Viewer) => viewer.colourAt(3 * 37, 500 + 3 * 3) === 0xff0000
    const same = () => drawn(raw) && drawn(zrle) && Buffer.compare(raw.picture(), zrle.picture()) === 0
    await Promise.race([raw.until(same), zrle.until(same)])
    assert.ok(raw.bytesReceived > 4 * 1280 * 720)
    assert.ok(zrle.bytesReceived < 1280 * 720)
  })

  it('receives the cursor and its hotspot once it has moved the pointer', async () => {
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

  it('receives the position to which a program has moved the pointer', async () => {
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

/** Paints a part of the desktop by setting the background of the root window with raw X requests. */
async function paint(machine: Machine, colour: number, { x, y, width, height }: Rect): Promise<void> {
  const connection = await machine.dial('screen:x11')
  connection.write(Buffer.from('6c000b000000000000000000', 'hex'))
  const head = await readExactly(connection, 8)
  const setup = await readExactly(connection, 4 * head.readUInt16LE(6))
  const [vendorLength, formats] = [setup.readUInt16LE(16), setup.readUInt8(21)]
  const root = setup.readUInt32LE(32 + 4 * Math.ceil(vendorLength / 4) + 8 * formats)

  const changeWindowAttributes = Buffer.from(Uint32Array.of(0x0004_0002, root, 1 << 1, colour).buffer)
  const clearArea = Buffer.from(
    Uint32Array.of(0x0004_003d, root, x | (y << 16), width | (height << 16)).buffer,
  )
  connection.end(Buffer.concat([changeWindowAttributes, clearArea]))
  await once(connection.resume(), 'close')
}

async function readExactly(stream: Duplex, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = stream.read(length)
    if (bytes) return bytes
    await once(stream, 'readable')
  }
}
