import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { FileInfo, FolderPage, maxPageBytes, Part } from './schemas.ts'

const On = z.object({ machine: z.string(), user: z.string().optional() })
const OnPath = On.extend({ path: z.string() })
const FromTo = On.extend({ from: z.string(), to: z.string() })

/** What a worker does with the files of its machines. */
export const fileMethods = {
  /**
   * The channel carries the part that is sent with the call. Without it, the file stays open until the caller writes to the
   * channel which part it wants, or closes it.
   */
  'files.open': method({
    args: OnPath.extend({ part: Part.optional() }),
    result: FileInfo,
    channels: ['bytes'],
  }),
  /** The channel carries the content, and its end means that the content is complete. */
  'files.write': method({
    args: OnPath.extend({
      mode: z.int().optional(),
      size: z.number().optional(),
    }),
    result: FileInfo,
    channels: ['bytes'],
  }),
  /** The content comes with the call. */
  'files.create': method({ args: OnPath, result: FileInfo }),
  /** The content comes with the answer. */
  'files.readSmall': method({ args: OnPath, result: z.object({ info: FileInfo, isWhole: z.boolean() }) }),
  'files.copy': method({ args: FromTo, result: FileInfo }),
  'files.stat': method({ args: OnPath, result: FileInfo }),
  'files.list': method({
    args: OnPath.extend({ limit: z.int(), after: z.string().optional() }),
    result: FolderPage,
    maxResultBytes: maxPageBytes,
  }),
  'files.makeDirectory': method({ args: OnPath }),
  'files.move': method({ args: FromTo.extend({ overwrite: z.boolean().optional() }) }),
  'files.remove': method({ args: OnPath.extend({ durable: z.boolean().optional() }) }),
  /** The channel carries the changes, one per message, from when the call is answered. */
  'files.watch': method({
    args: OnPath.extend({ recursive: z.boolean().optional() }),
    channels: ['messages'],
  }),
}
