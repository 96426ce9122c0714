import type { FileHandle } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { MachineActivity } from '../../../contract/activity.ts'
import { MachineError } from '../../../contract/errors.ts'
import { machinePaths } from '../machine-paths.ts'
import { dialPort } from '../network/dial-port.ts'
import type { PortDialer } from '../network/port-dialer.ts'
import { connectIn } from '../network/unix-socket.ts'
import { type CgroupLayout, groupOf, isFrozen, outOfMemoryKills } from '../oci/cgroups.ts'
import { activityOf } from '../oci/group-activity.ts'
import { hasEnded } from '../oci/init-process.ts'
import type { Settings } from '../options.ts'
import { assertStorable } from '../rootfs/storable.ts'
import { openOfGuest } from './open-of-guest.ts'

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

/** The sockets of a machine that the host sees: the agent's and those of its screen. */
export type GuestSocket = 'agent' | 'rfb' | 'x11'

/** What the kernel says about a machine that no longer answers. */
export interface Ending {
  readonly hasEnded: boolean
  readonly ranOutOfMemory: boolean
}

/**
 * The way into a machine: what only the host can do for whoever talks to it. None of it reads what the machine sends, so
 * the host can do it for a process that has no rights of its own.
 */
export interface GuestAccess {
  /** Connects to a socket. STATE if the machine is paused, because it would not answer until it is resumed. */
  connect(socket: GuestSocket, signal?: AbortSignal): Promise<Socket>
  /** Connects to a port from the host. Undefined if the machine's network is not that of the host's kernel. */
  readonly dialPort: ((address: string, port: number, signal?: AbortSignal) => Promise<Socket>) | undefined
  /** Whether the machine is not paused. */
  isAwake(): Promise<boolean>
  /** Fails if the host has no space for this many more bytes on the machine's disk. */
  assertStorable(bytes: number): Promise<void>
  /** What its processes do. Undefined if the host cannot say. */
  activity(): Promise<MachineActivity | undefined>
  /** Called after the connection to process 1 was lost. */
  ending(): Promise<Ending>
  /** Opens a file that a process of the machine has open, by numbers of the machine. Only in the process of the host. */
  readonly openFile?: (pid: number, fd: number, access: 'read' | 'write') => Promise<FileHandle | undefined>
}

/** What callers need to talk to a machine. */
export interface Guest extends GuestAccess {
  readonly timeouts: AgentTimeouts
}

/** The process closes its sockets some milliseconds before it has ended. */
const endTimeoutMs = 1500

/** With `isUnread`, nothing reads from the connections, so that they can be passed to another process. */
export function guestOf(
  id: string,
  settings: Settings,
  layout: CgroupLayout,
  ports?: PortDialer,
  isUnread = false,
): Guest {
  const paths = machinePaths(settings, id)
  const group = groupOf(settings.instance, id)
  const isAwake = async () => !(await isFrozen(layout, group))
  const assertAwake = async () => {
    if (!(await isAwake())) throw new MachineError('STATE', `machine ${id} is paused; resume it`)
  }
  return {
    timeouts: agentTimeouts,
    isAwake,
    async connect(socket, signal) {
      await assertAwake()
      const [folder, name] = socket === 'x11' ? [paths.x11, 'X0'] : [paths.sockets, socket]
      return connectIn(folder, name, signal, isUnread)
    },
    dialPort:
      ports &&
      (async (address, port, signal) => {
        await assertAwake()
        return dialPort(paths, ports, { address, port, isUnread }, signal)
      }),
    assertStorable: bytes => assertStorable(settings, paths.disk, bytes),
    activity: async () => activityOf(layout, group),
    ending: async () => ({
      hasEnded: await hasEnded(paths, endTimeoutMs),
      ranOutOfMemory: (await outOfMemoryKills(layout, group)) > 0,
    }),
    openFile: (pid, fd, access) => openOfGuest(paths, pid, fd, access),
  }
}
