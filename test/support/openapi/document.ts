import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Answer } from '../../../packages/server/src/testing/test-service.ts'

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly format?: string
}

interface OpenApiResponse {
  readonly description: string
  readonly content?: { readonly 'application/json'?: { readonly schema: JsonSchema } }
}

export interface OpenApiOperation {
  readonly operationId: string
  /** Empty if the operation is public. */
  readonly security?: readonly unknown[]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json'?: { readonly schema: JsonSchema } }
  }
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

/** The published document, and what it promises about responses. */
export class PublishedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly #components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false })
  readonly #validators = new Map<OpenApiResponse, ValidateFunction>()

  constructor(document: {
    paths: PublishedDocument['paths']
    components: { schemas: Record<string, JsonSchema> }
  }) {
    this.paths = document.paths
    this.#components = document.components
  }

  resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.replace('#/components/schemas/', '')
    return name === undefined ? schema : this.resolve(this.#components.schemas[name] ?? {})
  }

  /** Fails if the operation does not declare the status or the error code of a response, or if its body does not match. */
  assertDeclared(
    { operationId, responses }: OpenApiOperation,
    { status, text, body, headers }: Answer,
  ): void {
    const response = responses[status]
    assert.ok(response, `${operationId} does not declare ${status}: ${text}`)
    if (status >= 400)
      assert.ok(response.description.includes(`\`${body?.code}\``), `${operationId} does not declare ${text}`)
    const schema = response.content?.['application/json']?.schema
    if (schema === undefined) return
    assert.match(headers.get('content-type') ?? '', /^application\/json/, operationId)
    let validate = this.#validators.get(response)
    if (!validate) {
      validate = this.#ajv.compile({ ...schema, components: this.#components })
      this.#validators.set(response, validate)
    }
    assert.ok(validate(body), `${operationId}: ${JSON.stringify(validate.errors)} in ${text.slice(0, 2000)}`)
  }

  /** Returns true if the document allows this body. */
  allows(schema: JsonSchema, body: unknown): boolean {
    return this.#ajv.validate({ ...schema, components: this.#components }, body)
  }
}
