import { z } from 'zod'

/**
 * What a channel of a call carries: a stream of bytes, or messages whose boundaries are kept. `input` is bytes of which
 * little is on the way, so that what nobody reads stays with the sender.
 */
export type ChannelKind = 'bytes' | 'messages' | 'input'

/** One thing that a process does for another. */
export interface Method<Args extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> {
  readonly args: Args
  readonly result: Result
  /** The channels that every call of it has. */
  readonly channels: readonly ChannelKind[]
  /** The longest result, as JSON. A peer that sends more is not trusted any further. */
  readonly maxResultBytes: number
}

/** Everything that a process does for another, by name. */
export type MethodTable = Readonly<Record<string, Method>>

/** What a process tells the other without being asked, by name. */
export type NoticeTable = Readonly<Record<string, z.ZodType>>

const usualResultBytes = 256 * 1024

/** At most as many channels per call; their numbers are derived from that of the call. */
export const maxChannels = 4

/**
 * @example
 * ```ts
 * const methods = {
 *   'files.stat': method({ args: z.object({ path: z.string() }), result: FileInfo }),
 *   'files.read': method({ args: z.object({ path: z.string() }), channels: ['bytes'] }),
 * }
 * ```
 */
export function method<Args extends z.ZodType, Result extends z.ZodType = z.ZodVoid>(definition: {
  readonly args: Args
  readonly result?: Result
  readonly channels?: readonly ChannelKind[]
  readonly maxResultBytes?: number
}): Method<Args, Result> {
  const { args, result, channels = [], maxResultBytes = usualResultBytes } = definition
  if (channels.length > maxChannels) throw new Error(`a call has at most ${maxChannels} channels`)
  return { args, result: (result ?? z.void()) as Result, channels, maxResultBytes }
}
