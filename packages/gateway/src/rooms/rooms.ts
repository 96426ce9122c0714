import { ApiError, ViewerMessage } from '@sandglass/protocol'
import { channel, type Frame, FrameError, parseControl } from '@sandglass/wire/frames'
import type { Welcome } from '../transports/arrival.ts'
import { Connection } from './connection.ts'
import type { Elsewhere, RoomHost } from './host.ts'
import { Room } from './room.ts'
import { type Times, usualTimes } from './times.ts'
import { UnauthenticatedPeers } from './unauthenticated-peers.ts'
import type { Hello } from './viewer.ts'

export interface RoomLimits {
  /** In one room. */
  readonly perRoom: number
  /** In all rooms, with those that have not yet said who they are. */
  readonly total: number
  /** Of one address, of those that have not. */
  readonly unauthenticated: number
}

/** A room for each sandbox of this process that somebody looks at; without anybody there is none. */
export class Rooms {
  readonly #host: RoomHost
  readonly #limits: RoomLimits
  readonly #times: Times
  readonly #rooms = new Map<string, Room>()
  readonly #opening = new Map<string, Promise<Room | Elsewhere>>()
  readonly #reloading = new Map<string, 'once' | 'again'>()
  readonly #connections = new Set<Connection>()
  readonly #unauthenticated: UnauthenticatedPeers
  #isClosing = false

  constructor(host: RoomHost, limits: RoomLimits, times = usualTimes) {
    this.#times = times
    this.#host = host
    this.#limits = limits
    this.#unauthenticated = new UnauthenticatedPeers(limits.unauthenticated)
  }

  /** How many are connected now. */
  get viewers(): number {
    return this.#connections.size
  }

  find(id: string): Room | undefined {
    return this.#rooms.get(id)
  }

  readonly receive: Welcome = arrival => {
    const connection = new Connection(arrival, this.#times)
    if (this.#isClosing) return connection.goodbye(new ApiError('live.CLOSING'))
    const isFull = this.#connections.size >= this.#limits.total
    const leave = isFull ? undefined : this.#unauthenticated.enter(arrival.remoteAddress)
    if (!leave) return connection.goodbye(new ApiError('live.FULL'))
    this.#connections.add(connection)
    arrival.stream.once('close', () => this.#connections.delete(connection))
    const late = setTimeout(
      () => connection.goodbye(new ApiError('live.NO_HELLO')),
      this.#times.helloMs,
    ).unref()
    connection.onEnd = () => {
      clearTimeout(late)
      leave()
    }
    connection.first(frame => {
      const hello = helloOf(frame)
      clearTimeout(late)
      void this.#admit(connection, hello).finally(leave)
    })
  }

  /** Something about a sandbox is another than before: its machine, its end, or the rights of its viewers. */
  changed(id: string): void {
    const room = this.#rooms.get(id)
    if (!room) return
    if (this.#reloading.has(id)) this.#reloading.set(id, 'again')
    else void this.#reload(room)
  }

  /** What changed may have been missed. */
  refresh(): void {
    for (const id of this.#rooms.keys()) this.changed(id)
  }

  /** Asks for every viewer whether its pass still holds. */
  async check(): Promise<void> {
    await Promise.all([...this.#rooms.values()].map(room => room.check()))
  }

  /** Tells everybody goodbye. Settles when all connections are gone. */
  async close(): Promise<void> {
    this.#isClosing = true
    const gone = [...this.#connections].map(
      ({ arrival: { stream } }) => new Promise(resolve => stream.once('close', resolve)),
    )
    for (const room of this.#rooms.values()) room.close(new ApiError('live.CLOSING'))
    for (const connection of this.#connections) connection.goodbye(new ApiError('live.CLOSING'))
    await Promise.all(gone)
  }

  async #admit(connection: Connection, hello: Hello): Promise<void> {
    try {
      const pass = await this.#host.admit(hello.token, hello.room)
      const room = await this.#open(hello.room)
      if ('dial' in room) return await this.#forward(connection, room)
      if (connection.isOver || this.#isClosing) return this.#forgetIfEmpty(room)
      if (room.size >= this.#limits.perRoom) throw new ApiError('live.FULL')
      room.enter(connection, hello, pass)
    } catch (error) {
      if (!(error instanceof ApiError)) this.#host.fault(hello.room, error)
      connection.goodbye(
        error instanceof ApiError ? error : new ApiError('service.INTERNAL', { cause: error }),
      )
    }
  }

  /** Has the process that has the machine serve the peer. */
  async #forward(connection: Connection, elsewhere: Elsewhere): Promise<void> {
    const { arrival } = connection
    if (arrival.isForwarded) throw new ApiError('node.GONE')
    const forwarding = await elsewhere.dial(arrival)
    if (connection.isOver || this.#isClosing) forwarding.drop()
    else forwarding.take(connection.handOver())
  }

  #open(id: string): Promise<Room | Elsewhere> {
    const known = this.#rooms.get(id)
    if (known) return Promise.resolve(known)
    const opening = this.#opening.get(id) ?? this.#make(id).finally(() => this.#opening.delete(id))
    this.#opening.set(id, opening)
    return opening
  }

  async #make(id: string): Promise<Room | Elsewhere> {
    const state = await this.#host.look(id)
    if ('dial' in state) return state
    const room: Room = new Room(id, this.#host, state, this.#times, () => this.#forgetIfEmpty(room))
    this.#rooms.set(id, room)
    return room
  }

  #forgetIfEmpty(room: Room): void {
    if (room.isEmpty && this.#rooms.get(room.id) === room) this.#rooms.delete(room.id)
  }

  /** One at a time for each room, and once more where something changed meanwhile. */
  async #reload(room: Room): Promise<void> {
    this.#reloading.set(room.id, 'once')
    try {
      const state = await this.#host.look(room.id)
      // Its viewers connect again, and reach the process that has the machine now.
      if ('dial' in state) this.#end(room, new ApiError('node.GONE'))
      else {
        room.use(state.machine)
        await room.check()
      }
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) this.#end(room, error)
      else this.#host.fault(room.id, error)
    }
    const isWanted = this.#reloading.get(room.id) === 'again'
    this.#reloading.delete(room.id)
    if (isWanted) this.changed(room.id)
  }

  #end(room: Room, reason: ApiError): void {
    this.#rooms.delete(room.id)
    room.close(reason)
  }
}

/** The first frame of a connection. */
function helloOf(frame: Frame): Hello {
  if (frame.channel !== channel.control) throw new FrameError('the first frame is a hello')
  const { success, data } = ViewerMessage.safeParse(parseControl(frame))
  if (!success || data.kind !== 'hello')
    throw new FrameError('the first frame is a hello of version 1, with a room and a token')
  return data
}
