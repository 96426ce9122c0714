export interface RoomTimeouts {
  /** How long a peer may take to send its first frame. */
  readonly helloMs: number
  /** A connection is closed after nothing was received, or nothing sent was accepted, for this long. */
  readonly patienceMs: number
  readonly pingEveryMs: number
  /** A held key is released after nothing was received from its holder for this long. */
  readonly unheardMs: number
  /** The delay before a failed screen is tried again. */
  readonly reopenMs: number
  /** How long control is kept for a person who disconnected. */
  readonly absenceMs: number
}

export const defaultTimeouts: RoomTimeouts = {
  helloMs: 10_000,
  patienceMs: 30_000,
  pingEveryMs: 10_000,
  unheardMs: 2000,
  reopenMs: 1000,
  absenceMs: 20_000,
}
