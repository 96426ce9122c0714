import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { Activity, Handle, ofEngine, one } from './access-methods.ts'
import { keptMethods } from './kept-methods.ts'
import { Owner, Spec } from './machine-spec.ts'
import { ShapeOffer } from './shape-offer.ts'
import { snapshotMethods } from './snapshot-methods.ts'
import { volumeMethods } from './volume-methods.ts'
import { workerHostMethods } from './workers/methods.ts'

const State = z.object({
  status: z.enum(['creating', 'running', 'paused', 'stopped', 'missing', 'unreachable', 'lost']),
  reason: z.string().exactOptional(),
})
const Use = z.object({ usedBytes: z.number(), limitBytes: z.number() })
const Figures = z.object({
  cpu: z.object({ usedSeconds: z.number(), cpus: z.number() }).exactOptional(),
  memory: Use.exactOptional(),
  disk: Use.exactOptional(),
  network: z.object({ receivedBytes: z.number(), sentBytes: z.number() }).exactOptional(),
})
const Health = z.union([
  z.object({
    ready: z.literal(true),
    unavailable: z.record(z.string(), z.string()),
    preparing: z.array(z.string()).readonly().exactOptional(),
    builds: z
      .array(
        z.object({
          image: z.string(),
          state: z.enum(['waiting', 'building', 'ready', 'failed']),
          startedAt: z.string().exactOptional(),
          endedAt: z.string().exactOptional(),
          activity: z.string().exactOptional(),
          reason: z.string().exactOptional(),
        }),
      )
      .readonly()
      .exactOptional(),
  }),
  z.object({ ready: z.literal(false), reason: z.string(), isOpening: z.literal(true).exactOptional() }),
])
const Listed = z.object({
  id: z.string(),
  handle: Handle,
  owner: Owner.optional(),
  image: z.string().optional(),
})
const Capabilities = z.object({
  pause: z.boolean(),
  egress: z.boolean(),
  egressNames: z.boolean(),
  halfClose: z.boolean(),
  saveMemory: z.boolean(),
})
/** What the engine can do, and which of the parts that engines may leave out it has. */
const Opened = z.object({
  capabilities: Capabilities,
  hasSnapshots: z.boolean(),
  hasVolumes: z.boolean(),
  hasKept: z.boolean(),
  canStop: z.boolean(),
  canWake: z.boolean(),
  hasOffer: z.boolean(),
})
export type Opened = z.infer<typeof Opened>

/** A thousand machines are a few hundred KiB. */
const maxListBytes = 16 * 1024 * 1024

/** Everything that the front can ask of the host. Nothing in it is a path or a command. */
export const hostMethods = {
  /** Checks the host for an engine, and installs what is missing. Its error stops the start. */
  configure: method({ args: ofEngine, result: z.void() }),
  open: method({ args: ofEngine, result: Opened }),
  /** Answers when every image is built or has failed. */
  prepared: method({ args: ofEngine, result: z.void() }),
  close: method({ args: ofEngine, result: z.void() }),
  /** What the engine adds to the catalogue of shapes now. */
  offer: method({ args: ofEngine, result: ShapeOffer }),
  create: method({ args: ofEngine.extend({ spec: Spec }), result: Handle }),
  destroy: method({ args: one, result: z.void() }),
  restart: method({ args: one, result: z.void() }),
  stop: method({ args: one, result: z.void() }),
  wake: method({ args: one, result: z.void() }),
  pause: method({ args: one, result: z.void() }),
  resume: method({ args: one, result: z.void() }),
  inspect: method({ args: one, result: State }),
  /** What the processes of the machine do; null if the kernel does not count for them. */
  activity: method({ args: one, result: Activity.nullable() }),
  figures: method({ args: one, result: Figures }),
  list: method({ args: ofEngine, result: z.array(Listed), maxResultBytes: maxListBytes }),
  health: method({ args: ofEngine, result: Health }),
  capacity: method({
    args: ofEngine.extend({ diskMiB: z.number(), image: z.string().max(100).optional() }),
    result: z.object({ fits: z.number(), reason: z.string().exactOptional() }),
  }),
  diskSpace: method({
    args: ofEngine,
    result: z.object({ freeBytes: z.number(), totalBytes: z.number() }),
  }),
  imageDigest: method({ args: ofEngine.extend({ image: z.string().max(100) }), result: z.string() }),
  /** The tenant of each machine, by machine id. */
  assign: method({
    args: ofEngine.extend({ tenants: z.record(z.string().max(100), z.string().max(200)) }),
    result: z.void(),
  }),
  ...snapshotMethods,
  ...volumeMethods,
  ...keptMethods,
  ...workerHostMethods,
}
export type HostMethods = typeof hostMethods
