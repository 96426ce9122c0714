import type { Engine } from '../engine.ts'
import type { GuestProfile } from '../guest-profile.ts'
import type { MachineHandle } from '../handle.ts'
import type { Machine } from '../machine.ts'
import type { MachineSpec } from '../spec.ts'
import type { Expectations } from './expectations.ts'
import type { TestPrograms } from './programs.ts'

/** What the conformance suite needs in order to test an engine. */
export interface Subject {
  /** Opens the engine over the same state each time, as a service does when it starts. */
  open(): Promise<Engine>
  /** The spec of a small machine with Python 3, under a new id for each call. */
  spec(): MachineSpec
  /** What to expect of its machines where engines may differ. */
  readonly expected: Expectations
  /** Shuts a machine down as from inside. */
  shutDown(machine: Machine): Promise<void>
  /** Settles when the creation of the machine with this id has begun, and long before it is done. */
  begun(id: string): Promise<void>
  /** Switches a machine on again if nothing inside it could do that after a shutdown, so that a restart finds it. */
  powerOn(): Promise<void>
  /** Breaks the network to a machine; the result restores it. Left out where nothing is between engine and machine. */
  partition?(handle: MachineHandle): Promise<() => Promise<void>>
  /** Removes everything that the suite made. */
  dispose(): Promise<void>
}

/** A running machine, and how to run programs in it. */
export interface Inside {
  readonly machine: Machine
  readonly guest: GuestProfile
  readonly expected: Expectations
  readonly programs: TestPrograms
}
