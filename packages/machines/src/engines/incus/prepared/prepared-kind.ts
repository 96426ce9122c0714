import type { MachineSpec } from '../../../contract/spec.ts'

/** What must match for a prepared instance to become a machine. Everything else of a machine is told to it then. */
export interface PreparedKind {
  /** The image, as Incus names it. */
  readonly fingerprint: string
  readonly spec: Pick<
    MachineSpec,
    'image' | 'cpus' | 'memoryMiB' | 'pids' | 'diskMiB' | 'egress' | 'sudo' | 'runtime'
  >
}

export function kindOfSpec(fingerprint: string, spec: MachineSpec): PreparedKind {
  const { image, cpus, memoryMiB, pids, diskMiB, egress = 'internet', sudo = true, runtime } = spec
  const own = { image, cpus, memoryMiB, pids, diskMiB, egress, sudo }
  return { fingerprint, spec: { ...own, ...(runtime !== undefined && { runtime }) } }
}

export const keyOfKind = ({ fingerprint, spec }: PreparedKind): string => JSON.stringify([fingerprint, spec])
