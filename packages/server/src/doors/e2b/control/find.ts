import { type MachineSize, type SandboxState, stateOf } from '@sandglass/doors/e2b'
import { ApiError, getSandbox, type Sandbox } from '@sandglass/protocol'
import type { ControlCall } from './control-call.ts'

export interface Found {
  readonly sandbox: Sandbox
  readonly state: SandboxState
  readonly size: MachineSize
}

/** Finds the sandbox in the path. One that has stopped by itself or failed has ended for clients. */
export async function findSandbox(call: ControlCall): Promise<Found> {
  const { sandbox } = await call.native(getSandbox, { params: call.sandbox })
  const state = stateOf(sandbox)
  if (!state) throw new ApiError('sandbox.NOT_FOUND', { message: `The sandbox is ${sandbox.status}.` })
  return { sandbox, state, size: sizeOf(sandbox.shape) }
}

/** Engines that decide about the size of their machines themselves report none. */
export function sizeOf({
  cpus = 0,
  memoryMiB = 0,
  diskMiB = 0,
}: Partial<Record<keyof MachineSize, number | undefined>>): MachineSize {
  return { cpus, memoryMiB, diskMiB }
}
