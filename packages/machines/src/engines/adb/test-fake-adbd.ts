import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { AdbCommand } from '@yume-chan/adb'
import { PacketReader } from '../../adb/packet-reader.ts'
import { encodePacket } from '../../adb/packets.ts'
import { FakeStreams, type OnService } from './test-fake-stream.ts'

/** How a fake device behaves. */
export type Behaviour =
  | 'healthy'
  /** Accepts connections and sends nothing. */
  | 'silent'
  | 'garbage'
  /** Declares a packet of 2 GiB. */
  | 'lying'
  /** Closes the connection in the middle of its first packet. */
  | 'cutOff'
  /** Requires a known key, and accepts none. */
  | 'unauthorised'
  | 'unbooted'
  /** Answers every request without end, whether the data is read or not. */
  | 'flooding'
  /** Refuses every service. */
  | 'closed'
  /** Opens services, and sends nothing. */
  | 'stuck'

const banner = 'device::ro.product.name=fake;features=shell_v2,cmd,stat_v2,ls_v2'
const flood = Buffer.alloc(1024 * 1024, 'x')
/** Every program exits immediately with code 0. */
const exitFrame = Buffer.of(3, 1, 0, 0, 0, 0)
const maxFlood = 64

/** A device that speaks enough ADB to be claimed, and can misbehave in many ways. */
export class FakeAdbd {
  behaviour: Behaviour
  /** How many bytes it was able to send. */
  sentBytes = 0
  /** Handles services beyond those that a claim needs. */
  onService: OnService = () => 'left'
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #port = 0

  private constructor(behaviour: Behaviour) {
    this.behaviour = behaviour
    this.#server = createServer(socket => this.#talk(socket))
  }

  static async start(behaviour: Behaviour = 'healthy'): Promise<FakeAdbd> {
    const fake = new FakeAdbd(behaviour)
    await fake.appear()
    return fake
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`
  }

  /** Listens on its previous port, if it had one. */
  async appear(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async vanish(): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  /** Closes its connections, and accepts new ones immediately. */
  async hangUp(): Promise<void> {
    const closed = [...this.#sockets].map(socket => once(socket, 'close'))
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(closed)
  }

  get connections(): number {
    return this.#sockets.size
  }

  #talk(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    const send = (command: number, arg0: number, arg1: number, text: string | Buffer = '') => {
      const payload = Buffer.from(text)
      this.sentBytes += payload.length
      return socket.write(
        encodePacket({ command, arg0, arg1, payload, checksum: 0, magic: command ^ 0xffffffff }),
      )
    }
    const hello = encodePacket({
      command: AdbCommand.Connect,
      arg0: 0x01000001,
      arg1: 1024 * 1024,
      checksum: 0,
      magic: AdbCommand.Connect ^ 0xffffffff,
      payload: Buffer.from(banner),
    })
    const greet = () => {
      if (this.behaviour === 'garbage') socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
      else if (this.behaviour === 'cutOff') socket.end(hello.subarray(0, 30))
      else if (this.behaviour === 'lying') {
        hello.writeUInt32LE(0x7fffffff, 12)
        socket.write(hello)
      } else if (this.behaviour === 'unauthorised') send(AdbCommand.Auth, 1, 0, Buffer.alloc(20, 7))
      else if (this.behaviour !== 'silent') socket.write(hello)
    }
    const reader = new PacketReader()
    const ending = new Set<number>()
    const streams = new FakeStreams(send, (service, stream) => this.onService(service, stream))
    socket.on('close', () => streams.close())
    socket.on('data', chunk => {
      for (const packet of reader.receive(chunk)) {
        if (streams.receive(packet)) continue
        const { command, arg0, arg1, payload } = packet
        // It rejects the signature, and nobody accepts the prompt for the key.
        if (command === AdbCommand.Auth && arg0 === 2) send(AdbCommand.Auth, 1, 0, Buffer.alloc(20, 8))
        if (command === AdbCommand.Connect) greet()
        if (command === AdbCommand.Open)
          this.#serve(send, arg0, payload.toString().replace(/\0$/, ''), ending, socket)
        if (command === AdbCommand.Write) {
          send(AdbCommand.Okay, arg1, arg0)
          const [, mark] = /printf '<%s' (\w+)/.exec(payload.toString()) ?? []
          if (mark) send(AdbCommand.Write, arg1, arg0, `<${mark}cur=1080x1920\n${mark}>0;`)
        }
        if (command === AdbCommand.Okay && ending.delete(arg0)) send(AdbCommand.Close, arg1, arg0)
      }
    })
  }

  #serve(
    send: (command: number, arg0: number, arg1: number, text?: string | Buffer) => boolean,
    id: number,
    service: string,
    ending: Set<number>,
    socket: Socket,
  ): void {
    if (this.behaviour === 'closed') return void send(AdbCommand.Close, 0, id)
    send(AdbCommand.Okay, id, id)
    if (this.behaviour === 'stuck') return
    if (this.behaviour === 'flooding') return void this.#flood(send, id, socket)
    const said = this.#answer(service)
    if (said === undefined) return
    ending.add(id)
    send(AdbCommand.Write, id, id, said)
  }

  #answer(service: string): string | Buffer | undefined {
    if (service.startsWith('shell,v2')) return exitFrame
    if (service.includes('getprop')) return this.behaviour === 'unbooted' ? '0\n' : '1\n'
    return service.startsWith('exec:id') ? 'shell\n/data/local/tmp\n' : undefined
  }

  async #flood(
    send: (command: number, arg0: number, arg1: number, text?: Buffer) => boolean,
    id: number,
    socket: Socket,
  ): Promise<void> {
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    for (let sent = 0; sent < maxFlood && !socket.destroyed; sent++)
      if (!send(AdbCommand.Write, id, id, flood))
        await once(socket, 'drain', { signal: gone.signal }).catch(() => {})
  }
}
