import type { z } from 'zod'
import type { Role } from './role.ts'

/** A type of event as data: docs/events.md describes it, and tests compare its example with events that really happened. */
export interface EventType<Data extends z.ZodType = z.ZodType> {
  /** A sentence that says when the event is appended. */
  readonly about: string
  /** What the id in `subject` names. */
  readonly subject: 'sandbox' | 'image' | 'key' | 'MCP server' | 'volume' | 'webhook' | 'node'
  /** The least role that may read it. Null for events that only the operator may read. */
  readonly role: Role | null
  readonly data: Data
  readonly example: {
    readonly data: z.output<Data>
    readonly reason?: string
    readonly actor: { readonly kind: EventActorKind; readonly id: string }
  }
}

/** Who caused an event: a caller, or the service itself. */
export type EventActorKind =
  | 'apiKey'
  | 'user'
  | 'trialToken'
  | 'operator'
  | 'invitation'
  | 'mcpServer'
  | 'service'

/** Defines a type of event and keeps the exact type of its data. */
export function eventType<Data extends z.ZodType>(definition: EventType<Data>): EventType<Data> {
  return definition
}
