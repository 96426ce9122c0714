import type { Duplex } from 'node:stream'
import type { Files } from './files.ts'
import type { GuestProfile } from './guest-profile.ts'
import type { MachineHandle } from './handle.ts'
import type { MachineHealth } from './health.ts'
import type { Phone } from './phone.ts'
import type { ExecSpec, MachineProcess } from './process.ts'
import type { Screen } from './screen.ts'
import type { ScreenSize } from './spec.ts'

/**
 * What `Machine.dial` can connect to. `screen:rfb` and `screen:x11` are the desktop's own sockets, and `adb` is the adbd of a
 * phone, where a client of ADB may be connected to it: INVALID elsewhere. The others are sockets on which programs in the machine
 * listen; a TCP address is resolved inside, so 127.0.0.1 is the machine's own loopback.
 */
export type Endpoint = `tcp:${string}:${number}` | `unix:${string}` | 'screen:rfb' | 'screen:x11' | 'adb'

/** How a machine ended. */
export interface Death {
  /** A sentence for a person that says what ended the machine. */
  readonly reason: string
  /** True if it was shut down from inside, which is not a fault. */
  readonly orderly: boolean
  /** What ended it, if it is known to be something else than that its first process was killed or has failed. */
  readonly cause?: DeathCause | undefined
}

/**
 * `engine-lost`: the engine does not have the machine any more, or nothing in it answers. `member-lost`: the member of the
 * cluster that has it is gone.
 */
export type DeathCause = 'out-of-memory' | 'engine-lost' | 'member-lost'

/**
 * A running machine: its screen, processes, files and ports. An open machine costs one idle connection. After it ended, every
 * call fails with MACHINE_FAILED or STATE; open it again after a restart.
 *
 * @example
 * ```ts
 * const machine = await engine.open(handle)
 * const process = await machine.exec({ executable: 'uname', args: ['-a'] })
 * console.log(await text(process.stdout))
 * machine.close()
 * ```
 */
export interface Machine {
  readonly handle: MachineHandle
  /** The size with which the screen was made. Programs can change it: `screen.size()` asks for the current one. */
  readonly screenSize: ScreenSize
  /** The system inside: its shell, paths, browser and package tool. */
  readonly guest: GuestProfile
  readonly files: Files
  readonly screen: Screen
  /** Set if the machine is a phone or simulates one. */
  readonly phone?: Phone | undefined
  /**
   * Settles within 2 s after the machine ended for whatever reason, and never because of `close`. A machine that cannot be reached
   * has not ended: that is a problem of {@link wholeMachine} in `health`, which goes when it can be reached again.
   */
  readonly died: Promise<Death>
  readonly health: MachineHealth
  /** Called with every change of `health`. There is one listener; whoever opened the machine sets it. */
  onHealth: (health: MachineHealth) => void
  /** Starts a program and settles when it runs. NOT_FOUND, DENIED or INVALID if it cannot be started. */
  exec(spec: ExecSpec): Promise<MachineProcess>
  /** Connects to a socket inside the machine. REFUSED if nothing listens there. */
  dial(endpoint: Endpoint, options?: { readonly signal?: AbortSignal }): Promise<Duplex>
  /** Releases the connection in this process. The machine and its programs go on running. */
  close(): void
}
