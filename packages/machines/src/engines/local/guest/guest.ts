import { MachineError } from '../../../contract/errors.ts'
import { type MachinePaths, machinePaths } from '../machine-paths.ts'
import type { PortDialer } from '../network/port-dialer.ts'
import { type CgroupLayout, groupOf, isFrozen } from '../oci/cgroups.ts'
import type { Settings } from '../options.ts'
import { assertStorable } from '../rootfs/storable.ts'

/** How long the service waits for an agent, which may have been replaced by one that never answers. */
export interface AgentTimeouts {
  /** For an answer. Large folders take seconds to list or to watch. */
  readonly answerMs: number
  /** For the answer to a request whose work depends on the amount of data: copies, removals, syncs to disk. */
  readonly longAnswerMs: number
  /** For the next piece of content. */
  readonly idleMs: number
}

export const agentTimeouts: AgentTimeouts = { answerMs: 60_000, longAnswerMs: 1_800_000, idleMs: 60_000 }

/** What callers need to reach a machine. */
export interface Guest {
  readonly paths: MachinePaths
  readonly timeouts: AgentTimeouts
  /** Fails if the machine is paused, because it would not answer until it is resumed. */
  assertAwake(): Promise<void>
  /** Connects to its ports from the host, if its network is that of the host's kernel. */
  readonly ports: PortDialer | undefined
  /** Fails if the host has no space for this many more bytes on the machine's disk. */
  assertStorable(bytes: number): Promise<void>
}

export function guestOf(id: string, settings: Settings, layout: CgroupLayout, ports?: PortDialer): Guest {
  const paths = machinePaths(settings, id)
  return {
    paths,
    timeouts: agentTimeouts,
    ports,
    assertStorable: bytes => assertStorable(settings, paths.disk, bytes),
    async assertAwake() {
      const group = groupOf(settings.instance, id)
      if (await isFrozen(layout, group)) throw new MachineError('STATE', `machine ${id} is paused; resume it`)
    },
  }
}
