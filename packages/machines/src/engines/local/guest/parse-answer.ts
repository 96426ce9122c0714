import { MachineError } from '../../../contract/errors.ts'
import type { Json } from '../../../contract/handle.ts'

export type AgentAnswer = Readonly<Record<string, Json>>

/** How much of an answer is read and parsed. A guest can replace the agent and answer with anything. */
export interface AnswerLimits {
  readonly maxBytes: number
  /** Each value, name and nesting counts: memory is used for them, not for the bytes of the text. */
  readonly maxValues: number
}

/**
 * The limits of all answers but listings. The longest are those with a path: 4096 bytes, each of which may be escaped
 * with six.
 */
export const smallAnswer: AnswerLimits = { maxBytes: 64 * 1024, maxValues: 64 }

export const malformed = (cause?: unknown) =>
  new MachineError('STATE', 'the machine sent a malformed answer', { cause })

/** Parses a line of the agent, which is an object. */
export function parseAnswer(line: Buffer, { maxValues }: AnswerLimits): AgentAnswer {
  if (hasMoreValues(line, maxValues))
    throw new MachineError('STATE', 'the machine answered with more values than were requested')
  let value: Json
  try {
    value = JSON.parse(line.toString('utf8'))
  } catch (cause) {
    throw malformed(cause)
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw malformed()
  return value
}

const [quote, backslash, comma, colon, bracket, brace] = Buffer.from('"\\,:[{')

/** Counts the separators outside of strings, without parsing. */
function hasMoreValues(line: Buffer, max: number): boolean {
  let count = 0
  for (let at = 0; at < line.length && count <= max; at++) {
    const byte = line[at]
    if (byte === comma || byte === colon || byte === bracket || byte === brace) count++
    else if (byte === quote) at = endOfString(line, at + 1)
  }
  return count > max
}

function endOfString(line: Buffer, from: number): number {
  let at = from
  while (at < line.length && line[at] !== quote) at += line[at] === backslash ? 2 : 1
  return at
}
