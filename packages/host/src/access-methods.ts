import { method } from '@sandglass/rpc'
import { z } from 'zod'

/** The engine reads it again, and refuses what is not its own. */
export const Handle = z.strictObject({ engine: z.string().max(100), version: z.int(), state: z.json() })

export const one = z.strictObject({ handle: Handle })

/** The engine that a request is about. Requests about something that has a handle go to the engine of the handle. */
export const ofEngine = z.strictObject({ engine: z.string().max(100) })

const Endpoint = z.union([
  z.templateLiteral(['tcp:', z.string(), ':', z.number()]),
  z.templateLiteral(['unix:', z.string()]),
  z.enum(['screen:rfb', 'screen:x11']),
])

const GuestSocket = z.enum(['agent', 'rfb', 'x11', 'input', 'qga'])

/** Present for machines that are used through their virtual hardware. */
const Console = z.object({ os: z.enum(['linux', 'windows']), guestAgent: z.boolean() })

/** The number by which a passed connection is recognized. */
export const Passed = z.object({ connection: z.int() })

export const Activity = z.object({
  cpuMs: z.number(),
  loads: z.number(),
  stolenMs: z.number(),
  processes: z.array(z.int()).readonly(),
  hostLoad: z.number(),
})

/**
 * The way into a machine. The host passes connections from which it has read nothing; they arrive on the channel of Node's
 * own messages.
 */
export const accessMethods = {
  reach: method({
    args: one,
    result: z.object({
      screenSize: z.object({ width: z.number(), height: z.number() }),
      adb: Endpoint.exactOptional(),
      hasPorts: z.boolean(),
      console: Console.exactOptional(),
    }),
  }),
  connect: method({
    args: z.strictObject({ handle: Handle, socket: GuestSocket }),
    result: Passed,
  }),
  dialPort: method({
    args: z.strictObject({ handle: Handle, address: z.ipv4(), port: z.int().min(1).max(65535) }),
    result: Passed,
  }),
  isAwake: method({ args: one, result: z.boolean() }),
  assertStorable: method({
    args: z.strictObject({ handle: Handle, bytes: z.number().min(0) }),
    result: z.void(),
  }),
  /** What the kernel says about the processes of the machine; null if it does not count for them. */
  activity: method({ args: one, result: Activity.nullable() }),
  ending: method({
    args: one,
    result: z.object({
      hasEnded: z.boolean(),
      ranOutOfMemory: z.boolean(),
      wasShutDown: z.boolean().exactOptional(),
    }),
  }),
}
export type AccessMethods = typeof accessMethods
