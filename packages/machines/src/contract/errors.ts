/** What kind of failure it is. Callers decide by the code, never by the message. */
export type MachineErrorCode =
  /** There is no machine, file, program or app of that name. */
  | 'NOT_FOUND'
  /** The request can never succeed as it is: it is malformed, or this kind of machine does not support it. */
  | 'INVALID'
  /** The machine or the file is in a state that does not allow it now. The same request may succeed later. */
  | 'STATE'
  /** The screen does not show what the caller expected. Nothing was done. */
  | 'MISMATCH'
  /** The path leads to a folder instead of a file, to a file instead of a folder, or to neither. */
  | 'WRONG_KIND'
  /** The name is taken already. */
  | 'EXISTS'
  /** The machine's disk is full. */
  | 'NO_SPACE'
  /** The host's disk is full or failing, although the machine's own has space. What was written is lost. */
  | 'HOST_FULL'
  /** The host has no capacity for another machine. Nothing was created. */
  | 'NO_CAPACITY'
  /** It would need an agent in the guest, and none answers. The message says what the guest lacks. */
  | 'LACKS_AGENT'
  /** The user inside the machine lacks the permission. */
  | 'DENIED'
  /** The machine did not become ready, or ended. */
  | 'MACHINE_FAILED'
  /** The network to the machine or to its engine is broken, so it is unknown how the machine is. Try again later. */
  | 'UNREACHABLE'
  /** Nothing inside the machine accepted the connection. */
  | 'REFUSED'

/**
 * Every failure that an engine foresees. The message says what is wrong and, where possible, how to fix it; it is shown to
 * callers of the API.
 */
export class MachineError extends Error {
  override readonly name = 'MachineError'
  readonly code: MachineErrorCode

  constructor(code: MachineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
