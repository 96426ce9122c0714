import { Fields, pack } from './fields.ts'
import { channel, encodeFrame, type Frame } from './frame.ts'
import { FrameError } from './frame-error.ts'

const types = { ping: 1, pong: 2 } as const

/** The receiver of a ping replies at once with a pong of the same number. */
export interface StatisticsFrame {
  readonly type: keyof typeof types
  readonly number: number
}

/** Encodes a ping or pong. */
export function encodeStatistics({ type, number }: StatisticsFrame): Uint8Array {
  return encodeFrame(channel.statistics, types[type], pack([32, number]))
}

/** Reads a ping or pong; throws a FrameError if it is malformed. */
export function parseStatistics({ type, payload }: Frame): StatisticsFrame {
  const fields = new Fields(payload)
  const number = fields.u32()
  fields.end()
  if (type === types.ping) return { type: 'ping', number }
  if (type === types.pong) return { type: 'pong', number }
  throw new FrameError(`statistics has no type ${type}`)
}
