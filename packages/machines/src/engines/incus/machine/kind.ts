import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'

/** What isolates a machine, as Incus names it. A spec that names nothing is for a container. */
export const instanceKinds = ['container', 'virtual-machine'] as const
type InstanceKind = (typeof instanceKinds)[number]

export function kindOf({ runtime = 'container' }: Pick<MachineSpec, 'runtime'>): InstanceKind {
  const kind = instanceKinds.find(name => name === runtime)
  if (!kind)
    throw new MachineError(
      'INVALID',
      `runtime must be ${instanceKinds.join(' or ')} in a cluster, not ${runtime}`,
    )
  return kind
}

export const isVirtualMachine = (spec: Pick<MachineSpec, 'runtime'>): boolean =>
  kindOf(spec) === 'virtual-machine'
