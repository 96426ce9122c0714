import { ApiError, ViewerMessage } from '@sandglass/protocol'
import { channel, type Frame, FrameError, parseControl } from '@sandglass/wire/frames'
import type { Welcome } from '../transports/arrival.ts'
import { Connection } from './connection.ts'
import type { Elsewhere, RoomHost } from './host.ts'
import { Room } from './room.ts'
import { defaultTimeouts, type RoomTimeouts } from './timeouts.ts'
import { UnauthenticatedPeers } from './unauthenticated-peers.ts'
import type { Hello } from './viewer.ts'

export interface RoomLimits {
  /** Max viewers per room. */
  readonly perRoom: number
  /** Max connections in total, including those that have not authenticated yet. */
  readonly total: number
  /** Max unauthenticated connections per address. */
  readonly unauthenticated: number
}

/** The rooms of the sandboxes in this process. A room exists while somebody is in it. */
export class Rooms {
  readonly #host: RoomHost
  readonly #limits: RoomLimits
  readonly #timeouts: RoomTimeouts
  readonly #rooms = new Map<string, Room>()
  readonly #opening = new Map<string, Promise<Room | Elsewhere>>()
  readonly #reloading = new Map<string, 'once' | 'again'>()
  readonly #connections = new Set<Connection>()
  readonly #unauthenticated: UnauthenticatedPeers
  #isClosing = false

  constructor(host: RoomHost, limits: RoomLimits, timeouts = defaultTimeouts) {
    this.#timeouts = timeouts
    this.#host = host
    this.#limits = limits
    this.#unauthenticated = new UnauthenticatedPeers(limits.unauthenticated)
  }

  /** The number of connections. */
  get viewers(): number {
    return this.#connections.size
  }

  find(id: string): Room | undefined {
    return this.#rooms.get(id)
  }

  readonly receive: Welcome = arrival => {
    const connection = new Connection(arrival, this.#timeouts)
    if (this.#isClosing) return connection.goodbye(new ApiError('live.CLOSING'))
    const isFull = this.#connections.size >= this.#limits.total
    const leave = isFull ? undefined : this.#unauthenticated.enter(arrival.remoteAddress)
    if (!leave) return connection.goodbye(new ApiError('live.FULL'))
    this.#connections.add(connection)
    arrival.stream.once('close', () => this.#connections.delete(connection))
    const late = setTimeout(
      () => connection.goodbye(new ApiError('live.NO_HELLO')),
      this.#timeouts.helloMs,
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

  /** Reloads a room after its sandbox changed: its machine, its end, or the rights of its viewers. */
  changed(id: string): void {
    const room = this.#rooms.get(id)
    if (!room) return
    if (this.#reloading.has(id)) this.#reloading.set(id, 'again')
    else void this.#reload(room)
  }

  /** Reloads all rooms, since changes may have been missed. */
  refresh(): void {
    for (const id of this.#rooms.keys()) this.changed(id)
  }

  /** Checks for every viewer that its pass is still valid. */
  async check(): Promise<void> {
    await Promise.all([...this.#rooms.values()].map(room => room.check()))
  }

  /** Sends everybody a goodbye and resolves when all connections are closed. */
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
      const room = await this.#openRoom(hello.room)
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

  /** Hands the peer over to the process that has the machine. */
  async #forward(connection: Connection, elsewhere: Elsewhere): Promise<void> {
    const { arrival } = connection
    if (arrival.isForwarded) throw new ApiError('node.GONE')
    const forwarding = await elsewhere.dial(arrival)
    if (connection.isOver || this.#isClosing) forwarding.drop()
    else forwarding.take(connection.handOver())
  }

  #openRoom(id: string): Promise<Room | Elsewhere> {
    const known = this.#rooms.get(id)
    if (known) return Promise.resolve(known)
    const opening = this.#opening.get(id) ?? this.#make(id).finally(() => this.#opening.delete(id))
    this.#opening.set(id, opening)
    return opening
  }

  async #make(id: string): Promise<Room | Elsewhere> {
    const state = await this.#host.look(id)
    if ('dial' in state) return state
    const room: Room = new Room(id, this.#host, state, this.#timeouts, () => this.#forgetIfEmpty(room))
    this.#rooms.set(id, room)
    return room
  }

  #forgetIfEmpty(room: Room): void {
    if (room.isEmpty && this.#rooms.get(room.id) === room) this.#rooms.delete(room.id)
  }

  /** Runs once at a time per room, and once more if something changed meanwhile. */
  async #reload(room: Room): Promise<void> {
    this.#reloading.set(room.id, 'once')
    try {
      const state = await this.#host.look(room.id)
      // Its viewers reconnect and reach the process that has the machine now.
      if ('dial' in state) this.#closeRoom(room, new ApiError('node.GONE'))
      else {
        room.use(state)
        await room.check()
      }
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) this.#closeRoom(room, error)
      else this.#host.fault(room.id, error)
    }
    const isWanted = this.#reloading.get(room.id) === 'again'
    this.#reloading.delete(room.id)
    if (isWanted) this.changed(room.id)
  }

  #closeRoom(room: Room, reason: ApiError): void {
    this.#rooms.delete(room.id)
    room.close(reason)
  }
}

/** Parses the first frame of a connection. */
function helloOf(frame: Frame): Hello {
  if (frame.channel !== channel.control) throw new FrameError('the first frame is a hello')
  const { success, data } = ViewerMessage.safeParse(parseControl(frame))
  if (!success || data.kind !== 'hello')
    throw new FrameError('the first frame is a hello of version 1, with a room and a token')
  return data
}
