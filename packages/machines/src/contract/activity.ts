/**
 * What the processes of a machine do. An engine reports it by the account of the kernel below the machine, which the machine cannot
 * change. Where only the machine itself knows, it is used for nothing but the wait for the effect of an action in this machine.
 */
export interface MachineActivity {
  /** The processor time that they have used. */
  readonly cpuMs: number
  /** How often one of them has waited for a part of a program from the disk. */
  readonly loads: number
  /** Numbers that tell processes apart. */
  readonly processes: readonly number[]
  /** For how long the processors of the host, which may be a virtual machine itself, were taken from it, on average. */
  readonly stolenMs: number
  /** How many threads of the whole host want each of its processors at this moment. */
  readonly hostLoad: number
}
