/** How long a room waits for what. */
export interface RoomTimeouts {
  /** Until the first frame has come. */
  readonly helloMs: number
  /** While what was sent is not taken, or nothing is heard, before the connection is given up. */
  readonly patienceMs: number
  readonly pingEveryMs: number
  /** While a person who holds a key down cannot be heard, before it comes up. */
  readonly unheardMs: number
  /** Before a screen that could not be watched is tried again. */
  readonly reopenMs: number
  /** While a person who has the control is gone, before it goes to another. */
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
