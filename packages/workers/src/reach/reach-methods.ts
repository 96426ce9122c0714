import { DescribedError, method } from '@sandglass/rpc'
import { z } from 'zod'

/** The number by which the front knows a machine that it lets a worker connect to. */
const Opening = z.object({ opening: z.int() })

/** What the front gives a worker to open a machine that is not on this host. The file goes with the call, as bytes. */
export const Reach = Opening.extend({ details: z.json(), hasFile: z.boolean() })
export type Reach = z.infer<typeof Reach>

/** How the front answers a worker that has asked for a connection. The number is that of the question. */
const Dial = z.object({ dial: z.int() })

/** The connections of a worker to machines that are not on this host. */
export const reachMethods = {
  /** The channel is the connection. */
  'reach.connected': method({ args: Dial, channels: ['bytes'] }),
  'reach.failed': method({ args: Dial.extend({ error: DescribedError }) }),
}

/** What a worker says about machines that are not on this host. */
export const reachNotices = {
  /** It asks for a connection to the machine. */
  dial: Dial.extend(Opening.shape),
  /** A line for the operator. */
  told: Opening.extend({ line: z.string().max(1000) }),
}
