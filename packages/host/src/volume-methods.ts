import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { Handle, ofEngine } from './access-methods.ts'
import { Owner } from './machine-spec.ts'

const ListedVolume = z.object({
  id: z.string(),
  handle: Handle,
  owner: Owner.optional(),
  usedMiB: z.number().optional(),
})

/** A thousand volumes are a few hundred KiB. */
const maxListBytes = 16 * 1024 * 1024

/** Volumes of machines. An engine refuses them if it has none, and checks the values. */
export const volumeMethods = {
  createVolume: method({
    args: ofEngine.extend({
      spec: z.strictObject({ id: z.string().max(100), sizeMiB: z.number(), owner: Owner.exactOptional() }),
    }),
    result: Handle,
  }),
  /** The handle of a volume has the same form as that of a machine. The engine refuses one that is not a volume's. */
  removeVolume: method({ args: z.strictObject({ volume: Handle }), result: z.void() }),
  listVolumes: method({
    args: ofEngine,
    result: z.array(ListedVolume),
    maxResultBytes: maxListBytes,
  }),
}
export type VolumeMethods = typeof volumeMethods
