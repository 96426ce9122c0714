import { z } from 'zod'
import { unreachable } from './errors.ts'

const answerSchema = z.object({
  type: z.enum(['sync', 'async', 'error']),
  status_code: z.number().int().default(0),
  error_code: z.number().int().default(0),
  error: z.string().default(''),
  metadata: z.unknown(),
})

const operationSchema = z.object({
  // It becomes part of a path.
  id: z.string().regex(/^[0-9a-fA-F-]{1,64}$/),
  /** `task`, or `websocket` for as long as somebody is connected. */
  class: z.string().default('task'),
  status: z.string(),
  status_code: z.number().int(),
  err: z.string().default(''),
  location: z.string().default(''),
  resources: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})

const eventSchema = z.object({
  type: z.string(),
  timestamp: z.string(),
  /** The member where it happened. Empty outside clusters. */
  location: z.string().default(''),
  project: z.string().default(''),
  metadata: z.unknown(),
})

export type Answer = z.infer<typeof answerSchema>
/** A background operation of Incus. Its `metadata` depends on what it does. */
export type Operation = z.infer<typeof operationSchema>
/** Something that happened in the cluster. `metadata` depends on the type. */
export type IncusEvent = z.infer<typeof eventSchema>

/** Status codes of operations: below 200 they are under way, 200 is success, from 400 they failed or were cancelled. */
export const isOver = (operation: Operation): boolean => operation.status_code >= 200

export const readAnswer = (text: string): Answer => read(answerSchema, parse(text), 'an answer')
export const readOperation = (value: unknown): Operation => read(operationSchema, value, 'an operation')
/** Incus lists operations by their status. */
export const readOperations = (value: unknown): Operation[] =>
  Object.values(read(z.record(z.string(), z.array(operationSchema)), value, 'a list of operations')).flat()
export const readEvent = (text: string): IncusEvent => read(eventSchema, parse(text), 'an event')

const secret = z.string().min(1)
const channelsSchema = z.object({
  fds: z.object({ 0: secret, 1: secret, 2: secret, control: secret }),
})

/** The secrets that open the websockets of a program, by file descriptor. */
export const readChannels = (operation: Operation): z.infer<typeof channelsSchema>['fds'] =>
  read(channelsSchema, operation.metadata, 'the channels of a program').fds

/** Checks what the network gave, and says what it was meant to be if it is something else. */
export function read<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const place = parsed.error.issues[0]?.path.join('.') || 'the whole'
  throw unreachable(
    `Incus sent ${what} that cannot be read (${place} is not as expected). Check that the address is that of Incus.`,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
