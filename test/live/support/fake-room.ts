import { once } from 'node:events'
import type { Connect, LeaseHolder, LiveScope, RoomMessage, ViewerMessage } from '@sandglass/protocol'
import {
  channel,
  encodeControl,
  encodePicture,
  encodeTile,
  type Frame,
  FrameStream,
  type InputFrame,
  type PictureAnswer,
  parseControl,
  parseInput,
  parsePictureAnswer,
  type TileOp,
} from '@sandglass/wire/frames'
import { type WebSocket, WebSocketServer } from 'ws'
import { cleanup } from '../../../packages/server/src/testing/cleanup.ts'

const allScopes: readonly LiveScope[] = ['view', 'input', 'clipboard:read', 'clipboard:write', 'force']

/** A room that sends only what the test says, to see how the client reacts. */
export class FakeRoom {
  readonly viewers: FakeViewer[] = []
  readonly #server: WebSocketServer
  readonly #port: number

  private constructor(server: WebSocketServer, port: number) {
    this.#server = server
    this.#port = port
    server.on('connection', socket => this.viewers.push(new FakeViewer(socket)))
  }

  static async start(port = 0): Promise<FakeRoom> {
    const server = new WebSocketServer({ port, host: '127.0.0.1' })
    await once(server, 'listening')
    const address = server.address()
    const room = new FakeRoom(server, typeof address === 'object' && address ? address.port : port)
    cleanup.defer(() => room.close())
    return room
  }

  get connectDetails(): Connect {
    return {
      gatewayAddresses: [this.#address('WEBSOCKET')],
      certificateHashBase64: '',
      endUserToken: 'a token',
      roomId: 'a room',
    }
  }

  get port(): number {
    return this.#port
  }

  get last(): FakeViewer {
    const viewer = this.viewers.at(-1)
    if (!viewer) throw new Error('nobody has come')
    return viewer
  }

  close(): void {
    this.#server.close()
    for (const client of this.#server.clients) client.terminate()
  }

  #address(gatewayType: 'WEBSOCKET') {
    return {
      address: '127.0.0.1',
      port: this.#port,
      name: 'here',
      preferredProviders: [],
      gatewayType,
      path: '/live',
    }
  }
}

/** One connection as the room sees it. */
export class FakeViewer {
  readonly said: ViewerMessage[] = []
  readonly inputs: InputFrame[] = []
  readonly answers: PictureAnswer[] = []
  readonly others: Frame[] = []
  readonly socket: WebSocket
  #sequence = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    const frames = new FrameStream()
    socket.on('message', (data: Buffer) => {
      for (const frame of frames.receive(new Uint8Array(data))) this.#take(frame)
    })
  }

  say(message: RoomMessage): void {
    this.send(encodeControl(message))
  }

  send(frame: Uint8Array): void {
    this.socket.send(frame)
  }

  /** Sends a welcome, and gives control to this viewer or another. */
  welcome({ scope = allScopes, isHolder = true, expiresAt = '2999-01-01T00:00:00.000Z' } = {}): void {
    this.say({ kind: 'welcome', version: 1, viewer: 'v1', scope: [...scope], expiresAt })
    this.lease(7, isHolder ? { kind: 'person', viewer: 'v1', name: '' } : { kind: 'agent' })
  }

  lease(number: number, holder: LeaseHolder): void {
    this.say({ kind: 'lease', number, holder })
  }

  tiles(width: number, height: number, ...tiles: TileOp[]): void {
    const ops = Buffer.concat(tiles.map(encodeTile))
    this.send(
      encodePicture({ type: 'tiles', sequence: this.next(), width, height, ops: new Uint8Array(ops) }),
    )
  }

  /** The sequence number of the next picture. */
  next(): number {
    this.#sequence += 1
    return this.#sequence
  }

  get acknowledged(): number {
    return Math.max(0, ...this.answers.map(answer => (answer.type === 'acknowledge' ? answer.sequence : 0)))
  }

  /** The keys in order: a keysym when pressed, and its negative when released. */
  get keys(): number[] {
    return this.inputs
      .filter(input => input.type === 'key')
      .map(({ keysym, isDown }) => (isDown ? keysym : -keysym))
  }

  #take(frame: Frame): void {
    // Invalid messages of the client fail the test that examines them.
    if (frame.channel === channel.control) this.said.push(parseControl(frame) as ViewerMessage)
    else if (frame.channel === channel.input) this.inputs.push(parseInput(frame))
    else if (frame.channel === channel.picture) this.answers.push(parsePictureAnswer(frame))
    else this.others.push(frame)
  }
}

export const fill = (x: number, y: number, width: number, height: number, ...colour: number[]): TileOp => ({
  op: 'fill',
  area: { x, y, width, height },
  colour: Uint8Array.from(colour),
})
