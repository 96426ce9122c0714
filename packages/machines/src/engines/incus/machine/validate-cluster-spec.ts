import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import { validateSpec } from '../../local/validate-spec.ts'
import { kindOf } from './kind.ts'

/** Throws an error about the first problem of the spec of a machine in a cluster. */
export function validateClusterSpec(spec: MachineSpec): void {
  kindOf(spec)
  if (spec.volumes?.length) throw new MachineError('INVALID', 'volumes: machines in a cluster can have none')
  // The names of runtimes are others than on one host.
  const { runtime: _, ...rest } = spec
  validateSpec(rest)
}
