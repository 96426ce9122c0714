import { createServer, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** What the server does after it has sent the whole picture. */
export type Behaviour =
  | 'answers'
  | 'copies'
  | 'resizes'
  | 'dots'
  | 'bells'
  | 'cursors'
  | 'texts'
  | 'asks'
  | 'pictures'
  | 'huge'

export interface ServerData {
  readonly path: string
  readonly behaviour: Behaviour
}

const { path, behaviour }: ServerData = workerData
const [width, height] = [1280, 720]

const u16 = (...values: readonly number[]) =>
  Buffer.from(values.flatMap(value => [(value >> 8) & 255, value & 255]))
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer).swap32()
const update = (...rects: readonly Buffer[]) =>
  Buffer.concat([Buffer.from([0, 0]), u16(rects.length), ...rects])
const rect = (x: number, y: number, w: number, h: number, encoding: number, ...data: readonly Buffer[]) =>
  Buffer.concat([u16(x, y, w, h), u32(encoding), ...data])
const repeated = (count: number, piece: Buffer) => Buffer.alloc(count * piece.length, piece)

const size = behaviour === 'huge' ? [7680, 4320] : [width, height]
const greeting = Buffer.concat([
  Buffer.from('RFB 003.008\n'),
  Buffer.from([1, 1]),
  u32(0),
  u16(...size),
  Buffer.alloc(16),
  u32(4),
  Buffer.from('test'),
])
const picture = update(rect(0, 0, width, height, 0, Buffer.alloc(4 * width * height, 7)))

/** Rectangles without the header of their update, so that one header serves for 60,000 of them. */
const copy = rect(0, 0, width, height - 1, 1, u16(0, 1))
const floods: Readonly<Record<Exclude<Behaviour, 'answers'>, Buffer>> = {
  copies: repeated(100, update(...Array.from({ length: 40 }, () => copy))),
  resizes: repeated(2000, update(rect(0, 0, 1279, 719, -223), rect(0, 0, 1280, 720, -223))),
  dots: repeated(
    20,
    update(...Array.from({ length: 5000 }, (_, n) => rect(2 * (n % 600), n % 700, 1, 1, 0, u32(n)))),
  ),
  bells: Buffer.alloc(1_000_000, 2),
  cursors: repeated(4, update(rect(0, 0, 200, 200, -314, u32(0), Buffer.alloc(4 * 200 * 200, 77)))),
  texts: Buffer.concat([Buffer.from([3, 0, 0, 0]), u32(1_000_000), Buffer.alloc(1_000_000, 65)]),
  // Announces the extended clipboard, then asks for its text and reads nothing.
  asks: Buffer.concat([
    Buffer.from([3, 0, 0, 0]),
    u32(-4 >>> 0),
    u32(0x1f000001),
    repeated(5000, Buffer.concat([Buffer.from([3, 0, 0, 0]), u32(-4 >>> 0), u32(0x02000001)])),
  ]),
  pictures: picture,
  huge: Buffer.from([2]),
}

const server = createServer(socket => {
  socket.on('error', () => {})
  parentPort?.postMessage('connected')
  socket.write(greeting)
  socket.write(picture)
  if (behaviour === 'answers') answer(socket)
  else flood(socket, floods[behaviour])
})
server.listen(path, () => parentPort?.postMessage('listening'))

/** Draws a dot for whatever arrives, such as the request for the next update. */
function answer(socket: Socket): void {
  let drawn = 0
  socket.on('data', () => socket.write(update(rect(0, 0, 1, 1, 0, u32(drawn++)))))
}

function flood(socket: Socket, bytes: Buffer): void {
  if (behaviour !== 'asks') socket.resume()
  const more = () => {
    while (!socket.destroyed && socket.write(bytes)) {}
  }
  socket.on('drain', more)
  more()
}
