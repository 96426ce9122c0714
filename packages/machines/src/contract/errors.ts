export type MachineErrorCode =
  /** There is no machine, file or program of that name. */
  | 'NOT_FOUND'
  /** The input does not validate. */
  | 'INVALID'
  /** The machine, or the file, is not in a state that allows it. */
  | 'STATE'
  /** What is on the screen is not what the caller takes it for; nothing was done. */
  | 'MISMATCH'
  /** A folder where a file is needed, a file where a folder is, or something that is neither. */
  | 'WRONG_KIND'
  /** There is something of that name already. */
  | 'EXISTS'
  /** The machine's disk is full. */
  | 'NO_SPACE'
  /** The host's disk is full or failing, although the machine's own has space; what was written is not kept. */
  | 'HOST_FULL'
  /** The host has no capacity for one more machine; nothing was made. */
  | 'NO_CAPACITY'
  /** The user inside the machine may not do that. */
  | 'DENIED'
  /** The machine did not become ready, or ended. */
  | 'MACHINE_FAILED'
  /** The network to the machine or to its engine is broken, so it is not known how the machine is; try again later. */
  | 'UNREACHABLE'
  /** The program inside did not take the connection. */
  | 'REFUSED'

/** Every failure that an engine foresees. The message says what is wrong and, where it can, what mends it. */
export class MachineError extends Error {
  override readonly name = 'MachineError'
  readonly code: MachineErrorCode

  constructor(code: MachineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
