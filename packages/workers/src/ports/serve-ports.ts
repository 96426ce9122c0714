import type { Machine } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import { carry, only } from '../channels.ts'
import type { portMethods } from './methods.ts'

/** Serves the ports of machines, in the worker that they were given to. */
export function servePorts(find: (machine: string) => Pick<Machine, 'dial'>): Handlers<typeof portMethods> {
  return {
    'ports.dial': async ({ machine, endpoint }, { signal, channels }) => {
      const channel = only(channels)
      const connection = await find(machine).dial(endpoint, { signal })
      carry(channel, connection)
      carry(connection, channel)
    },
  }
}
