import type { Machine, Screen } from '@sandglass/machines/contract'
import type { LiveScope } from '@sandglass/protocol'
import type { PictureFeed, PictureSink } from '../picture/feed.ts'
import type { Arrival } from '../transports/arrival.ts'

/** What a token lets whoever brings it do. */
export interface Pass {
  readonly room: string
  readonly scope: ReadonlySet<LiveScope>
  readonly expiresAt: Date
  /** Stays when the token is renewed, or another connection made with it: who comes back is known by it. */
  readonly person: string
  /** The pass as it is now: its rights may have become fewer. An ApiError says why it holds no longer. */
  check(): Promise<Pass>
  /** What another token for the same room lets do. */
  replace(token: string): Promise<Pass>
  /** A newer token with no more rights, and what it lets do. */
  renew(): Promise<{ readonly token: string; readonly pass: Pass }>
}

/** The sandbox of a room as it is now. */
export interface RoomState {
  /** Undefined while it is away. */
  readonly machine: Machine | undefined
  readonly control: 'agent' | 'user'
  /** A person was called to take over, and has not handed back. */
  readonly isCalled: boolean
}

/** The machine of a room is on another process. */
export interface Elsewhere {
  /** Connects to the rooms of that process on behalf of a peer of this one. An ApiError says why it cannot. */
  dial(arrival: Arrival): Promise<Forwarding>
}

/** A connection to the rooms of another process, on which nothing was sent yet. */
export interface Forwarding {
  /** Joins the peer's stream to it until either ends, beginning with what the peer has sent already. */
  take(sent: Uint8Array): void
  /** The peer went away meanwhile. */
  drop(): void
}

/** What is to be seen of a screen, for as many as look. */
export interface RoomPicture {
  attach(sink: PictureSink): PictureFeed
  close(): void
}

/** What rooms need of the house that they are in. */
export interface RoomHost {
  /** The time that tokens go by, in milliseconds since 1970: the same for every process, whatever its own clock says. */
  now(): number
  /** Whom a token lets in. An ApiError says why nobody. */
  admit(token: string, room: string): Promise<Pass>
  /** An ApiError where there is no such sandbox, or nobody has its machine. */
  look(room: string): Promise<RoomState | Elsewhere>
  /** Nothing is sent any more once it has failed. */
  openPicture(screen: Screen, onFailure: (error: unknown) => void): RoomPicture
  /** The control has changed hands. */
  controlled(room: string, control: 'agent' | 'user', isCalled: boolean): void
  /** A person did something in the sandbox. */
  used(room: string): void
  /** Something failed that should not. */
  fault(room: string, error: unknown): void
}
