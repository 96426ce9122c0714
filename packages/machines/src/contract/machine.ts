import type { Duplex } from 'node:stream'
import type { Files } from './files.ts'
import type { MachineHandle } from './handle.ts'
import type { MachineHealth } from './health.ts'
import type { Phone } from './phone.ts'
import type { ExecSpec, MachineProcess } from './process.ts'
import type { Screen } from './screen.ts'
import type { ScreenSize } from './spec.ts'

/**
 * `screen:rfb` and `screen:x11` are the desktop's own; the rest is what programs in the machine listen on,
 * with a TCP address as the machine itself sees it, so that 127.0.0.1 is its own loopback.
 */
export type Endpoint = `tcp:${string}:${number}` | `unix:${string}` | 'screen:rfb' | 'screen:x11'

export interface Death {
  /** A sentence for a person: what ended the machine. */
  readonly reason: string
  /** Shut down from inside, which is no fault. */
  readonly orderly: boolean
}

/** A running machine. Holding one costs one idle connection; `close` lets go and leaves the machine running. */
export interface Machine {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  readonly files: Files
  readonly screen: Screen
  /** Where the machine is a phone, or a simulator of one. */
  readonly phone?: Phone | undefined
  /**
   * Settles within 2 s when the machine ends for any reason, and never because of `close`. A machine that cannot be reached
   * has not ended: that is a problem of {@link wholeMachine} in `health`, which goes when it can be reached again.
   */
  readonly died: Promise<Death>
  readonly health: MachineHealth
  /** Called with each change of `health`. Set by the one who opened the machine. */
  onHealth: (health: MachineHealth) => void
  exec(spec: ExecSpec): Promise<MachineProcess>
  dial(endpoint: Endpoint, options?: { readonly signal?: AbortSignal }): Promise<Duplex>
  close(): void
}
