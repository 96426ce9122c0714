import type { MachineSpec } from '../../contract/spec.ts'
import type { VmImageDescription } from './images/vm-image.ts'
import type { Acceleration } from './machine/command-line.ts'

/** What kind of system is inside, and what it is started with. */
export type VmGuest = Pick<VmImageDescription, 'os' | 'firmware' | 'agent' | 'devices'>

/** The persistent record of a virtual machine. A service that never saw the machine can restart or remove it with this. */
export interface VmRecord {
  readonly version: 1
  readonly spec: MachineSpec
  /** Unique among the machines of the engine. The address, the link and the uid range are derived from it. */
  readonly index: number
  /** The folder under `imagesDir` that has the disk it began with. */
  readonly image: string
  readonly guest: VmGuest
  /** Such as `pc-q35-7.2`. A machine keeps the devices that it was created with when QEMU is upgraded. */
  readonly machineType: string
  readonly acceleration: Acceleration
  /** Of 32 hexadecimal digits. */
  readonly machineId: string
  /** The snapshot that it is being replaced by. Set while that happens. */
  readonly restoring?: string
  /** False until the desktop was ready once. */
  readonly complete: boolean
}
