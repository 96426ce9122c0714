import { MachineError } from '../../../contract/errors.ts'
import type { Json } from '../../../contract/handle.ts'
import { hasMoreValues } from '../../../contract/json-values.ts'

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
  const text = line.toString('utf8')
  if (hasMoreValues(text, maxValues))
    throw new MachineError('STATE', 'the machine answered with more values than were requested')
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed(cause)
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw malformed()
  return value
}
