import type { ChildProcess } from 'node:child_process'
import { type ConfinedLaunch, launchConfined } from './launch-confined.ts'

/** The descriptors of the front besides the standard ones. The channel of Node's own messages is between them. */
export const frontDescriptors = { link: 3, lock: 5 } as const

export interface FrontLaunch
  extends Pick<ConfinedLaunch, 'user' | 'view' | 'command' | 'env' | 'folder' | 'compiled'> {
  /** Whether it may listen on ports below 1024. It has no other capability. */
  readonly hasLowPorts: boolean
  /** The descriptor that holds the lock of the data directory, if it goes on with it. */
  readonly lock?: number
}

/** Starts a program as the user of the front. */
export function launchFront({ hasLowPorts, lock, ...launch }: FrontLaunch): ChildProcess {
  return launchConfined({
    ...launch,
    capability: hasLowPorts ? 'net_bind_service' : undefined,
    stdio: lock === undefined ? 'inherit' : ['ignore', 'inherit', 'inherit', 'pipe', 'ipc', lock],
  })
}
