import type { Access, OperationExample } from '@sandglass/protocol'

/** The parts of JSON Schema that the schemas of the protocol use. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
}

/** What the list of operations and the search know of one. */
export interface OperationEntry {
  readonly id: string
  /** The operationId in /openapi.json, where it differs. */
  readonly publishedId?: string
  readonly tag: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly summary: string
  readonly isDeprecated?: true
  /** The errors that not every operation can return. */
  readonly errors: readonly string[]
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
}

export interface Content {
  readonly type: string
  readonly schema?: JsonSchema
}

export interface OperationDetails {
  readonly access: Access
  readonly deprecated?: { readonly since: string; readonly successor: string }
  readonly isAddition: boolean
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly kind: 'json' | 'bytes' | 'form'; readonly schema?: JsonSchema }
  /** How it answers if it succeeds. It can follow events if `isFollowed`, and does nothing else if it answers with events. */
  readonly answers: 'json' | 'empty' | 'bytes' | 'events' | 'socket'
  readonly isFollowed: boolean
  readonly responses: readonly {
    readonly status: string
    readonly description: string
    readonly contents: readonly Content[]
  }[]
  readonly errors: readonly string[]
  readonly examples: readonly OperationExample[]
  readonly commands: readonly { readonly command: string; readonly explanation: string }[]
}

export interface ErrorEntry {
  readonly status: number
  readonly message: string
  readonly hint: string
}

export interface EventEntry {
  readonly about: string
  readonly subject: string
  readonly role: string | null
  readonly example: unknown
}

/** Everything that a page about one of them needs. */
export interface Reference {
  readonly operations: Readonly<Record<string, OperationDetails>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly errors: Readonly<Record<string, ErrorEntry>>
  readonly events: Readonly<Record<string, EventEntry>>
  readonly placeholders: Readonly<Record<string, string>>
}
