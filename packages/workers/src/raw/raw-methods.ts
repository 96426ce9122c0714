import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { RawFrame } from './raw-frame.ts'

export const Share = z.number().min(0).max(1)
export const Encoded = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), seconds: z.number() })
const Id = z.string().max(100)

/** What a worker does with the frames of its file. */
export const rawMethods = {
  /** The encoded picture is in the bytes of the answer. */
  'raw.develop': method({
    args: z.object({ frame: RawFrame, tenant: z.string().max(200), id: Id, isFetched: z.boolean() }),
    result: Encoded,
  }),
  'raw.prioritize': method({ args: z.object({ id: Id }) }),
  /** Answers with the share of the file that is still in use. */
  'raw.release': method({ args: z.object({ frame: RawFrame }), result: Share }),
}
