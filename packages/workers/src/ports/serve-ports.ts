import { pipeline } from 'node:stream'
import type { Machine } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import { only } from '../channels.ts'
import type { portMethods } from './methods.ts'

/** Serves the ports of machines, in the worker that they were given to. */
export function servePorts(find: (machine: string) => Machine): Handlers<typeof portMethods> {
  return {
    'ports.dial': async ({ machine, endpoint }, { signal, channels }) => {
      const channel = only(channels)
      const connection = await find(machine).dial(endpoint, { signal })
      // Each direction ends by itself. A failure of one closes both, so that either peer notices it.
      pipeline(channel, connection, () => {})
      pipeline(connection, channel, () => {})
    },
  }
}
