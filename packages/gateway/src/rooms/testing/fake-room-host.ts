import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { ApiError, LiveScope } from '@sandglass/protocol'
import type { RoomMachine } from '../../session/index.ts'
import { LiveClient } from '../../testing/live-client.ts'
import type { Elsewhere, Pass, RoomHost, RoomSandbox, RoomState } from '../host.ts'
import { type RoomLimits, Rooms } from '../rooms.ts'
import { defaultTimeouts, type RoomTimeouts } from '../timeouts.ts'
import { FakeMachine } from './fake-machine.ts'

const defaultLimits: RoomLimits = { perRoom: 10, total: 20, unauthenticated: 10 }

/** Rooms with a fake machine. A token is a person's name followed by scopes, separated by spaces. */
export class FakeRoomHost implements RoomHost {
  readonly machine = new FakeMachine()
  /** How rooms reach the machine. */
  roomMachine: RoomMachine = this.machine
  readonly faults: unknown[] = []
  readonly controls: string[] = []
  readonly rooms: Rooms
  readonly #server = createServer(stream => {
    stream.on('error', () => {})
    const { isForwarded } = this
    this.rooms.receive({ transport: 'websocket', remoteAddress: '127.0.0.1', stream, isForwarded })
  })
  isMachineThere = true
  sandbox: RoomSandbox = {
    name: 'a sandbox',
    status: 'running',
    isPhone: false,
    expiresAt: '2999-01-01T00:00:00.000Z',
  }
  /** Where the machine is, if not here. */
  elsewhere: Elsewhere | undefined
  /** Whether those who come were forwarded by another house. */
  isForwarded = false
  uses = 0
  misses = 0
  screenFailures = 0

  constructor(timeouts: Partial<RoomTimeouts> = {}, limits: Partial<RoomLimits> = {}) {
    this.rooms = new Rooms(this, { ...defaultLimits, ...limits }, { ...defaultTimeouts, ...timeouts })
  }

  /** A peer that has connected and sent nothing. */
  async connect(): Promise<LiveClient> {
    if (!this.#server.listening) await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    const stream = connect((this.#server.address() as AddressInfo).port, '127.0.0.1')
    await once(stream, 'connect')
    return new LiveClient(stream)
  }

  async close(): Promise<void> {
    await this.rooms.close()
    this.#server.close()
  }

  /** A viewer that was admitted. */
  async viewer(person: string, scope: readonly LiveScope[] = LiveScope.options): Promise<LiveClient> {
    const client = await this.connect()
    client.hello({ room: 'room', token: [person, ...scope].join(' '), name: person })
    await client.message('lease')
    return client
  }

  now(): number {
    return Date.now()
  }

  async admit(token: string, room: string): Promise<Pass> {
    const [person = '', ...words] = token.split(' ')
    const scope = LiveScope.array().safeParse(words)
    if (!scope.success) throw new ApiError('live.TOKEN_INVALID')
    const pass: Pass = {
      room,
      person,
      scope: new Set(scope.data),
      expiresAt: new Date(Date.now() + 3_600_000),
      check: async () => pass,
      replace: other => this.admit(other, room),
      renew: async () => ({ token, pass }),
    }
    return pass
  }

  async look(): Promise<RoomState | Elsewhere> {
    if (this.elsewhere) return this.elsewhere
    const { sandbox } = this
    return {
      machine: this.isMachineThere ? this.roomMachine : undefined,
      control: 'agent',
      isCalled: false,
      sandbox,
    }
  }

  controlled(_room: string, control: string): void {
    this.controls.push(control)
  }

  used(): void {
    this.uses++
  }

  missed(): void {
    this.misses++
  }

  fault(_room: string, error: unknown): void {
    this.faults.push(error)
  }

  pictureFault(): void {}

  screenFailed(): void {
    this.screenFailures++
  }
}
