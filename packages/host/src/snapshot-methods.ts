import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { Handle, ofEngine } from './access-methods.ts'
import { Owner, Spec } from './machine-spec.ts'

const ListedSnapshot = z.object({
  id: z.string(),
  handle: Handle,
  owner: Owner.optional(),
  sizeMiB: z.number(),
})

/** The handle of a snapshot has the same form as that of a machine. The engine refuses one that is not a snapshot's. */
const oneSnapshot = z.strictObject({ snapshot: Handle })

/** A thousand snapshots are a few hundred KiB. */
const maxListBytes = 16 * 1024 * 1024

/** Saved disks of machines. An engine refuses them if it has no snapshots. */
export const snapshotMethods = {
  takeSnapshot: method({
    args: z.strictObject({
      handle: Handle,
      spec: z.strictObject({
        id: z.string().max(100),
        owner: Owner.exactOptional(),
        memory: z.boolean().exactOptional(),
      }),
    }),
    result: z.object({ handle: Handle, pauseMs: z.number(), sizeMiB: z.number() }),
  }),
  createFromSnapshot: method({ args: oneSnapshot.extend({ spec: Spec }), result: Handle }),
  restoreSnapshot: method({ args: oneSnapshot.extend({ handle: Handle }), result: z.void() }),
  removeSnapshot: method({ args: oneSnapshot, result: z.void() }),
  listSnapshots: method({
    args: ofEngine,
    result: z.array(ListedSnapshot),
    maxResultBytes: maxListBytes,
  }),
}
export type SnapshotMethods = typeof snapshotMethods
