import type { Endpoint } from '@sandglass/machines/contract'
import { method } from '@sandglass/rpc'
import { z } from 'zod'

/** What a worker does with the ports of its machines. */
export const portMethods = {
  /** The channel is the connection, from when the call is answered. */
  'ports.dial': method({
    args: z.object({
      machine: z.string(),
      // The machine itself refuses what is no endpoint.
      endpoint: z.custom<Endpoint>(endpoint => typeof endpoint === 'string'),
    }),
    channels: ['bytes'],
  }),
}
