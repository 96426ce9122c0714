import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { Reach } from './reach/reach-methods.ts'

/** The name that a worker gave to a machine. Every call about the machine has it. */
export const Named = z.object({ machine: z.string().max(40) })

export const Handle = z.object({ engine: z.string().max(100), version: z.int(), state: z.json() })
const Size = z.object({ width: z.int().positive(), height: z.int().positive() })
const Reason = z.string().max(4096)

const Health = z.object({
  problem: z
    .object({ component: z.string().max(100), reason: Reason, since: z.coerce.date() })
    .exactOptional(),
  lastRestart: z
    .object({ component: z.string().max(100), reason: Reason, at: z.coerce.date() })
    .exactOptional(),
})

/** What identifies the profile of a guest. */
const GuestName = z.discriminatedUnion('os', [
  z.object({ os: z.literal('linux') }),
  /** A guest that is used through its virtual hardware, and by QEMU's guest agent. */
  z.object({ os: z.literal('console'), system: z.enum(['linux', 'windows']) }),
  z.object({ os: z.literal('android'), user: z.string().max(200), home: z.string().max(4096) }),
])
export type GuestName = z.infer<typeof GuestName>

/** How a worker gets and gives back its machines. */
export const machineMethods = {
  /** A machine on this host is reached through the host, any other as the front says. */
  'machine.open': method({
    args: z.object({ handle: Handle, tenant: z.string().max(200), reach: Reach.exactOptional() }),
    result: Named.extend({ screenSize: Size, guest: GuestName, isPhone: z.boolean(), health: Health }),
  }),
  'machine.close': method({ args: Named }),
  /** Shows that the worker is not stuck. */
  'worker.ping': method({ args: z.object({}) }),
}

/** What a worker tells about its machines. */
export const machineNotices = {
  died: Named.extend({
    death: z.object({
      reason: Reason,
      orderly: z.boolean(),
      cause: z.enum(['out-of-memory', 'engine-lost', 'member-lost']).optional(),
    }),
  }),
  health: Named.extend({ health: Health }),
}
