import type { LiveScope, RoomMessage } from '@sandglass/protocol'
import type { RoomMachine } from '../session/session.ts'
import type { Arrival } from '../transports/arrival.ts'

/** What the holder of a token may do. */
export interface Pass {
  readonly room: string
  readonly scope: ReadonlySet<LiveScope>
  readonly expiresAt: Date
  /**
   * Stays the same when the token is renewed or used for another connection, so that a returning person is
   * recognized.
   */
  readonly person: string
  /** Returns the current pass, which may have fewer rights. Throws an ApiError if it is no longer valid. */
  check(): Promise<Pass>
  /** Returns the pass of another token for the same room. */
  replace(token: string): Promise<Pass>
  /** Returns a newer token with at most the same rights, and its pass. */
  renew(): Promise<{ readonly token: string; readonly pass: Pass }>
}

/** What viewers are told of the sandbox. */
export type RoomSandbox = Omit<Extract<RoomMessage, { kind: 'sandbox' }>, 'kind' | 'now'>

/** The current state of a room's sandbox. */
export interface RoomState {
  /** Undefined while the machine is away. */
  readonly machine: RoomMachine | undefined
  readonly control: 'agent' | 'user'
  /** Whether a person was called to take over and has not handed back. */
  readonly isCalled: boolean
  /** What the person was called for, if the caller said so. */
  readonly message?: string | undefined
  readonly sandbox: RoomSandbox
}

/** Stands in for the state of a room whose machine belongs to another process. */
export interface Elsewhere {
  /** Connects to the rooms of that process on behalf of a peer of this one. Throws an ApiError if it cannot. */
  dial(arrival: Arrival): Promise<Forwarding>
}

/** A connection to the rooms of another process on which nothing has been sent yet. */
export interface Forwarding {
  /** Joins the peer's stream to it until either ends, starting with what the peer has sent already. */
  take(sent: Uint8Array): void
  /** Closes it because the peer went away in the meantime. */
  drop(): void
}

/** What rooms need from the service that runs them. */
export interface RoomHost {
  /**
   * The clock that tokens expire by, in milliseconds since 1970. It is the same for every process, whatever the local
   * clock says.
   */
  now(): number
  /** Returns the pass of a token. Throws an ApiError if it is not valid for the room. */
  admit(token: string, room: string): Promise<Pass>
  /** Returns the sandbox's state, or where its machine is. Throws an ApiError if the sandbox or its machine is gone. */
  look(room: string): Promise<RoomState | Elsewhere>
  /** Called when control has changed hands. `by` is the name of the person who has it now, or who has given it back. */
  controlled(room: string, control: 'agent' | 'user', isCalled: boolean, by: string | undefined): void
  /** Called when a person used the sandbox. */
  used(room: string): void
  /** Called when somebody comes to the sandbox, or wants to use it, while its machine is away. */
  missed(room: string): void
  /** Called with unexpected errors. */
  fault(room: string, error: unknown): void
  /** Called with errors that a room's picture survives, such as a missing video encoder. */
  pictureFault(room: string, error: unknown): void
  /** Called when a screen cannot be shown. It is tried again a moment later. */
  screenFailed(room: string, error: unknown): void
}
