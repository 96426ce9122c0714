import type { Sandbox } from '@sandglass/protocol'
import { metadataIn, templateLabel, timeoutIn } from './labels.ts'

/**
 * The version of the daemon whose interface this door has. Clients decide by it what they can ask for: metadata of files and
 * details in the events of a watch came later.
 */
export const daemonVersion = '0.6.1'

/** The port at which clients expect the daemon. */
export const daemonPort = 49_983

/** The client id of every sandbox, which clients of the supported versions ignore. */
const clientID = 'sandglass'

export type SandboxState = 'running' | 'paused'

/** What a shape says about the machines of a sandbox. */
export interface MachineSize {
  readonly cpus: number
  readonly memoryMiB: number
  readonly diskMiB: number
}

/** What a client needs to use a sandbox. */
export interface SandboxAccess {
  readonly envdAccessToken: string
  readonly trafficAccessToken: string
  readonly domain: string
}

/** Returns the state of a sandbox as clients know it, or undefined if it has ended for them. */
export function stateOf({ status, paused, hibernated }: Sandbox): SandboxState | undefined {
  if (status === 'RUNNING' || status === 'PENDING') return 'running'
  return paused || hibernated ? 'paused' : undefined
}

/** The answer to a create, a connect or a fork. */
export function connectionView(sandbox: Sandbox, access: SandboxAccess) {
  return {
    sandboxID: sandbox.id,
    templateID: templateOf(sandbox),
    clientID,
    envdVersion: daemonVersion,
    ...access,
  }
}

/** An entry of a list. */
export function listedView(sandbox: Sandbox, state: SandboxState, size: MachineSize) {
  const template = templateOf(sandbox)
  return {
    sandboxID: sandbox.id,
    templateID: template,
    alias: template,
    clientID,
    startedAt: sandbox.createdAt,
    endAt: sandbox.expiresAt,
    state,
    cpuCount: Math.ceil(size.cpus),
    memoryMB: size.memoryMiB,
    diskSizeMB: size.diskMiB,
    metadata: metadataIn(sandbox.labels),
    envdVersion: daemonVersion,
  }
}

/** The description of one sandbox. */
export function detailView(sandbox: Sandbox, state: SandboxState, size: MachineSize, domain: string) {
  const { lifecycle } = sandbox
  const rule = lifecycle?.onTimeout === 'pause' ? 'pause' : 'kill'
  return {
    ...listedView(sandbox, state, size),
    domain,
    lifecycle: {
      onTimeout: timeoutIn(sandbox.labels) ?? rule,
      autoResume: lifecycle?.autoResume ?? false,
    },
  }
}

/** The template as the client named it, or the shape of a sandbox that was created in another way. */
export function templateOf({ labels, shapeName }: Sandbox): string {
  return labels[templateLabel] ?? shapeName
}
