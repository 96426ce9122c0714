interface Use {
  readonly usedBytes: number
  readonly limitBytes: number
}

/** What a machine uses at one moment. What the engine does not know is left out. */
export interface MachineFigures {
  /** The processor time since the machine was started, and how many processors it may use. */
  readonly cpu?: { readonly usedSeconds: number; readonly cpus: number }
  /** Without files that the system only keeps in memory to be faster. */
  readonly memory?: Use
  readonly disk?: Use
  /** Since the machine was started. Also left out for a machine without a network. */
  readonly network?: { readonly receivedBytes: number; readonly sentBytes: number }
}
