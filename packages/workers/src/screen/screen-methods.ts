import { RequestedAction, Settled, UiElement } from '@sandglass/protocol'
import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { pictureFormats } from '../contract/index.ts'
import { Named } from '../machine-methods.ts'
import { RawFrame } from '../raw/raw-frame.ts'
import { Encoded, Share } from '../raw/raw-methods.ts'

const Format = z.enum(pictureFormats)
const Tag = z.string().max(100)
const Size = z.object({ width: z.int(), height: z.int() })
const SettleRequest = z.object({
  quietMs: z.number(),
  maxMs: z.number().exactOptional(),
  until: z.enum(['screen', 'machine']),
})

/** Captures are named by numbers. */
const Look = z.object({
  drawn: z.boolean(),
  settle: SettleRequest.exactOptional(),
  picture: z
    .object({
      format: Format,
      pointer: z.boolean(),
      longestSide: z.number().exactOptional(),
      unlessSameAs: z.int().exactOptional(),
    })
    .exactOptional(),
  cursor: z.boolean(),
  elements: z.boolean(),
})
export type WireLook = z.infer<typeof Look>

/** Far more than screens report: they join regions that are close to each other. */
const maxRegions = 10_000
const maxElements = 20_000
/** What a screen with many long texts may take. */
const maxLookBytes = 24 * 1024 * 1024

const Looked = z.object({
  settled: Settled.exclude(['none']).exactOptional(),
  capture: z
    .object({
      number: z.int(),
      size: Size,
      frameBytes: z.int().nonnegative(),
      /** Set if the frame waits in the file of the worker. */
      raw: z.object({ frame: RawFrame, fill: Share }).exactOptional(),
    })
    .exactOptional(),
  changed: z
    .array(z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }))
    .max(maxRegions),
  cursor: z.object({ x: z.number(), y: z.number(), screen: Size }).exactOptional(),
  tree: z.array(UiElement).max(maxElements).exactOptional(),
  /** Why there is no tree. */
  treeError: z
    .object({ kind: z.string().max(40), code: z.string().max(40).optional(), message: z.string().max(4096) })
    .exactOptional(),
})
export type WireLooked = z.infer<typeof Looked>

/** What a worker does with the screens of its machines. */
export const screenMethods = {
  'screen.size': method({ args: Named, result: Size }),
  /** Performs an action and looks afterwards, in one round trip. */
  'screen.perform': method({
    args: Named.extend({ action: RequestedAction, look: Look.exactOptional() }),
    result: z.object({ result: z.unknown().optional(), looked: Looked.exactOptional() }),
    maxResultBytes: maxLookBytes,
  }),
  'screen.look': method({ args: Named.extend({ look: Look }), result: Looked, maxResultBytes: maxLookBytes }),
  'screen.begin': method({ args: Named }),
  /** The picture is in the bytes of the answer, unless the caller has it. */
  'screen.thumbnail': method({
    args: Named.extend({ width: z.int().min(1).max(4096), known: Tag.exactOptional() }),
    result: z.object({ tag: Tag, isKnown: z.boolean() }),
  }),
  /** The encoded picture is in the bytes of the answer. */
  'picture.encode': method({
    args: Named.extend({ capture: z.int() }),
    result: Encoded,
  }),
  'picture.prioritize': method({ args: Named.extend({ capture: z.int() }) }),
  /** The pictures are in the bytes of the arguments and of the answer. */
  'picture.transcode': method({
    args: z.object({ to: Format, tenant: z.string().max(200) }),
    result: z.object({ seconds: z.number() }),
  }),
}
