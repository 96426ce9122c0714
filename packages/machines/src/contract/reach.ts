import type { Duplex } from 'node:stream'
import type { Json } from './handle.ts'

/**
 * The way into a machine that is not on this host, for the worker that opens it. Workers have neither network nor files,
 * so this process dials for them and passes the bytes on.
 */
export interface MachineReach {
  /** What the opener of the engine gets in the worker. It may contain secrets, so it must not be logged. */
  readonly details: Json
  /** A file that the opener needs, such as a program for the machine. */
  readonly file?: Uint8Array
  /**
   * Resolves when the engine closed it: with the reason if the machine has ended for its tenant, and with undefined if only
   * the engine was closed.
   */
  readonly ended: Promise<string | undefined>
  /** Connects to the machine. A worker asks for connections, but cannot choose where they lead. */
  dial(): Promise<Duplex>
  /** Receives what the worker has to say to the operator about the machine. */
  tell(line: string): void
  /** Closes all its connections. No more can be made. */
  close(): void
}
