import {
  type Elsewhere,
  type Pass,
  type RoomHost,
  type RoomState,
  Rooms,
  type RoomViewer,
} from '@sandglass/gateway/rooms'
import { livePath, WebSocketListener, type Welcome } from '@sandglass/gateway/transports'
import type { Connect, Control } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { EndUserTokens } from '../../auth/end-user-tokens.ts'
import type { DatabaseClock } from '../../db/clock.ts'
import type { Database } from '../../db/database.ts'
import type { Housekeeping } from '../../housekeeping.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { gone } from '../../placement/gone.ts'
import type { Placement } from '../../placement/placement.ts'
import { liveUdpPort, type Settings } from '../../settings.ts'
import type { Waking } from '../sandboxes/lifecycle/waking.ts'
import type { SandboxUse } from '../sandboxes/use.ts'
import { LiveAddresses, type LiveTransport } from './addresses.ts'
import { ControlTracker } from './control.ts'
import { DatagramTransports } from './datagram-transports.ts'
import { type Granted, LiveRights } from './rights.ts'
import { roomGone, roomSandboxOf } from './room-sandbox.ts'
import {
  forgetExpiredInvitations,
  roomOfMachine,
  selectEndReason,
  selectRequest,
  selectRoom,
} from './store.ts'

/** Rooms are checked regularly, because notifications are missed while the database cannot be reached. */
const checkEverySeconds = 30
const forgetEverySeconds = 600
const publishEverySeconds = 10

/** The maximum number of connections from one address that have not authenticated yet. */
const maxUnauthenticated = 64

interface LiveParts {
  readonly settings: Settings
  readonly db: Database
  readonly clock: DatabaseClock
  readonly keeper: MachineKeeper
  readonly placement: Placement
  readonly tokens: EndUserTokens
  readonly use: SandboxUse
  readonly waking: Waking
  readonly metrics: Metrics
  readonly log: Logger
  /** Prints one line for the person who started the service. */
  readonly tell: (line: string) => void
}

/** The live view of this process: its rooms, transports, rights and control. */
export class Live implements RoomHost {
  readonly rights: LiveRights
  readonly control: ControlTracker
  readonly webSockets: WebSocketListener
  /** Each transport registers its address here. */
  readonly addresses: LiveAddresses
  readonly #parts: LiveParts
  readonly #rooms: Rooms
  #datagrams: DatagramTransports | undefined
  #isChecking = false
  #checkAgain = false

  constructor(parts: LiveParts) {
    const { settings, db, clock, keeper, placement, tokens, metrics, log } = parts
    this.#parts = parts
    this.rights = new LiveRights(db, tokens, clock)
    this.#rooms = new Rooms(this, {
      perRoom: settings.SANDGLASS_ROOM_VIEWERS,
      total: settings.SANDGLASS_LIVE_VIEWERS,
      unauthenticated: maxUnauthenticated,
    })
    this.control = new ControlTracker({
      db,
      log,
      takeover: settings.SANDGLASS_TAKEOVER,
      find: id => this.#rooms.find(id),
    })
    this.webSockets = new WebSocketListener(
      this.#rooms.receive,
      request => placement.peers.clientOf(request).address,
    )
    this.addresses = new LiveAddresses(db, placement)
    keeper.onChange = machineId => void this.#machineChanged(machineId)
    metrics.watchViewers(() => this.#rooms.viewers)
  }

  /** Every transport passes its connections to this function, which takes them to their rooms. */
  get welcome(): Welcome {
    return this.#rooms.receive
  }

  /** `url` is the address at which the service is reached. */
  async start(url: string, housekeeping: Housekeeping): Promise<void> {
    const { settings, placement, db } = this.#parts
    const { hostname, port, protocol, pathname } = new URL(settings.SANDGLASS_LIVE_URL ?? url)
    const isSecure = protocol === 'https:'
    const webSocket: LiveTransport = {
      gatewayType: isSecure ? 'WEBSOCKET_SECURE' : 'WEBSOCKET',
      port: Number(port) || (isSecure ? 443 : 80),
      path: `${pathname.replace(/\/$/, '')}${livePath}`,
    }
    this.addresses.begin(hostname.replace(/^\[(.*)\]$/, '$1'))
    await this.#serveDatagrams()
    this.addresses.add(() => [webSocket])
    await this.addresses.publish()
    await this.control.start(placement.nodeId)
    housekeeping.every(publishEverySeconds, 'publishing live addresses', () => this.addresses.publish())
    housekeeping.every(checkEverySeconds, 'refreshing live rooms', async () => this.#rooms.refresh())
    housekeeping.forgetEvery(forgetEverySeconds, 'forgetting expired invitations', () =>
      forgetExpiredInvitations(db),
    )
  }

  async connect(
    sandbox: { readonly id: string; readonly node_id: string | null },
    { token }: Granted,
  ): Promise<Connect> {
    return { ...(await this.addresses.of(sandbox)), endUserToken: token, roomId: sandbox.id }
  }

  /**
   * Call this when the state or the node of a sandbox changed, when it was deleted, or when its tokens were revoked.
   */
  sandboxChanged(id: string): void {
    this.#rooms.changed(id)
    this.control.forgetIfGone(id).catch(error => this.fault(id, error))
  }

  /** Lists who watches a sandbox of this process. */
  viewersOf(sandboxId: string): readonly RoomViewer[] {
    return this.#rooms.find(sandboxId)?.viewers ?? []
  }

  /** Checks every viewer again, because a token is valid only as long as the credential it was created with. */
  async credentialsChanged(): Promise<void> {
    if (this.#isChecking) {
      this.#checkAgain = true
      return
    }
    this.#isChecking = true
    try {
      await this.#rooms.check()
    } finally {
      this.#isChecking = false
    }
    if (!this.#checkAgain) return
    this.#checkAgain = false
    await this.credentialsChanged()
  }

  async close(): Promise<void> {
    await this.#rooms.close()
    await this.#datagrams?.close()
  }

  async #serveDatagrams(): Promise<void> {
    const { settings, log, tell } = this.#parts
    const port = liveUdpPort(settings)
    if (port === 'none') return
    const datagrams = await DatagramTransports.start({
      data: settings.SANDGLASS_DATA,
      host: settings.SANDGLASS_LIVE_UDP_HOST ?? settings.SANDGLASS_HOST,
      port,
      log,
      tell,
      welcome: this.#rooms.receive,
    })
    this.#datagrams = datagrams
    this.addresses.add(() => datagrams.transports)
    this.addresses.certificateHash = () => datagrams.certificateHash
  }

  now(): number {
    return this.#parts.clock.now()
  }

  admit(token: string, room: string): Promise<Pass> {
    return this.rights.admit(token, room)
  }

  async look(id: string): Promise<RoomState | Elsewhere> {
    const { db, keeper, placement } = this.#parts
    const row = await selectRoom(db, id)
    if (!row) throw roomGone(await selectEndReason(db, id))
    const location = placement.locate(row)
    if (location.at === 'gone') throw gone(location)
    if (location.at === 'node') return placement.peers.roomsOf(location.nodeId)
    const machineId = row.machine_id ?? ''
    await keeper.arrival(machineId)
    const machine = row.status === 'RUNNING' ? keeper.machine(machineId) : undefined
    const { control, person_called: isCalled } = row
    return {
      machine,
      control,
      isCalled,
      message: isCalled ? await selectRequest(db, id) : undefined,
      sandbox: roomSandboxOf(row, machine?.isPhone ?? false),
    }
  }

  controlled(room: string, control: Control, isCalled: boolean, by: string | undefined): void {
    this.control.controlled(room, control, isCalled, by)
  }

  used(room: string): void {
    this.#parts.use.touched(room)
  }

  missed(room: string): void {
    this.#parts.waking
      .awakeById(room)
      .catch(error => this.#parts.log.warn({ room, error }, 'a sandbox could not be woken for a viewer'))
  }

  fault(room: string, error: unknown): void {
    this.#parts.log.error({ room, error }, 'a live room failed')
  }

  pictureFault(room: string, error: unknown): void {
    this.#parts.log.warn({ room, error }, 'the picture of a live room failed')
  }

  screenFailed(room: string, error: unknown): void {
    this.#parts.log.warn({ room, error }, 'a screen cannot be shown in the live view')
  }

  async #machineChanged(machineId: string): Promise<void> {
    if (this.#rooms.viewers === 0) return
    const id = await roomOfMachine(this.#parts.db, machineId).catch(() => undefined)
    if (id !== undefined) this.#rooms.changed(id)
  }
}
