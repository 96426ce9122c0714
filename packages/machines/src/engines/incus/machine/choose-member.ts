import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { KnownMember } from '../members.ts'
import { fitsOn, shortageOf, takers } from './capacity.ts'
import { isVirtualMachine } from './kind.ts'

export interface MemberChoice {
  readonly members: readonly KnownMember[]
  readonly group: string | undefined
  /** How many machines a member has. */
  readonly countOn: (member: string) => number
}

/**
 * Returns the member on which a machine is to be created; undefined if any will do, so that Incus chooses. Throws if it fits on none.
 */
export function chooseMember(
  spec: MachineSpec,
  { members, group, countOn }: MemberChoice,
): string | undefined {
  const online = takers(members, group)
  const able = online.filter(member => canEver(member, spec))
  if (able.length === 0 && online.length > 0) throw new MachineError('NO_CAPACITY', whyNever(online, spec))
  const roomy = able.filter(member => fitsOn(member, spec.diskMiB) > 0)
  if (roomy.length === 0) throw new MachineError('NO_CAPACITY', shortageOf(able))
  const preferred = spec.place?.member
  if (roomy.some(({ name }) => name === preferred)) return preferred
  if (roomy.length === online.length) return undefined
  const [first, ...others] = roomy
  return others.reduce(
    (best, next) => (countOn(next.name) < countOn(best) ? next.name : best),
    first?.name ?? '',
  )
}

const hasMemory = ({ memoryMiB }: KnownMember, spec: MachineSpec) =>
  memoryMiB === undefined || memoryMiB >= spec.memoryMiB

const canEver = (member: KnownMember, spec: MachineSpec) =>
  hasMemory(member, spec) && (!isVirtualMachine(spec) || member.hasVirtualMachines === true)

function whyNever(online: readonly KnownMember[], spec: MachineSpec): string {
  if (isVirtualMachine(spec) && !online.some(({ hasVirtualMachines }) => hasVirtualMachines))
    return 'No member of the cluster can run virtual machines: they need KVM, vsock, and the packages qemu-system and ovmf. Use a shape of containers.'
  return `No member of the cluster has ${spec.memoryMiB} MiB of memory, which this machine may use. Use a smaller shape, or add a larger member.`
}
