import { useState } from 'react'
import { Prose } from './prose.tsx'
import { useReference } from './reference.ts'
import type { JsonSchema } from './reference-data.ts'
import { alternativesOf, resolve, typeOf } from './schema-type.ts'

/** A schema in words: its fields, and theirs when they are opened. Of what is sent it says what is required, of the rest what may be missing. */
export function SchemaView({ schema: raw, isSent = false }: { schema: JsonSchema; isSent?: boolean }) {
  const { schemas } = useReference()
  const { schema } = resolve(raw, schemas)
  const inner = innerOf(schema)
  if (inner) return <SchemaView schema={inner} isSent={isSent} />
  const fields = Object.entries(schema.properties ?? {})
  const alternatives = alternativesOf(schema)
  if (fields.length === 0 && alternatives.length === 0)
    return (
      <p className="text-quiet">
        {schema.type === 'object' ? 'An object without fields.' : typeOf(raw, schemas)}
      </p>
    )
  return (
    <div className="flex flex-col gap-2">
      {fields.length > 0 && (
        <ul className="divide-y divide-line">
          {fields.map(([name, field]) => (
            <FieldLine
              key={name}
              name={name}
              schema={field}
              isRequired={schema.required?.includes(name) ?? false}
              isSent={isSent}
            />
          ))}
        </ul>
      )}
      {alternatives.length > 0 && (
        <ul className="flex flex-col gap-1" aria-label="One of these">
          {alternatives.map((each, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: alternatives have no names.
            <li key={index}>
              <Alternative schema={each} isSent={isSent} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** What a list or a dictionary contains, which is what is worth showing. */
function innerOf(schema: JsonSchema): JsonSchema | undefined {
  if (schema.items) return schema.items
  if (schema.allOf?.length === 1) return schema.allOf[0]
  const { additionalProperties: values } = schema
  return typeof values === 'object' && !schema.properties ? values : undefined
}

function FieldLine({
  name,
  schema,
  isRequired,
  isSent,
}: {
  name: string
  schema: JsonSchema
  isRequired: boolean
  isSent: boolean
}) {
  const { schemas } = useReference()
  const { schema: resolved } = resolve(schema, schemas)
  const { description, default: usual } = resolved
  return (
    <li className="py-2">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono text-[13px] font-semibold">{name}</code>
        <span className="text-[13px] break-all text-quiet">{typeOf(schema, schemas)}</span>
        {isSent && isRequired && usual === undefined && (
          <span className="text-[13px] text-wrong">required</span>
        )}
        {!isSent && !isRequired && <span className="text-[13px] text-quiet">optional</span>}
        {usual !== undefined && (
          <span className="text-[13px] text-quiet">by default {JSON.stringify(usual)}</span>
        )}
      </p>
      {description && (
        <p>
          <Prose text={description} />
        </p>
      )}
      {hasMore(resolved) && (
        <More
          title={
            alternativesOf(innerOf(resolved) ?? resolved).length > 0 ? 'What it can be' : `Fields of ${name}`
          }
          schema={schema}
          isSent={isSent}
        />
      )}
    </li>
  )
}

function Alternative({ schema: raw, isSent }: { schema: JsonSchema; isSent: boolean }) {
  const { schemas } = useReference()
  const { schema, name } = resolve(raw, schemas)
  if (!hasMore(schema)) return <p className="font-mono text-[13px]">{typeOf(raw, schemas)}</p>
  const told = Object.entries(schema.properties ?? {}).find(([, { const: value }]) => value !== undefined)
  const title = told ? `${told[0]}: ${JSON.stringify(told[1].const)}` : (name ?? fieldsText(schema, raw))
  return <More title={title} schema={raw} isSent={isSent} />

  function fieldsText(object: JsonSchema, own: JsonSchema): string {
    const names = Object.keys(object.properties ?? {})
    return names.length > 0 ? `{ ${names.join(', ')} }` : typeOf(own, schemas)
  }
}

/** Whether there is more to say of a schema than its type. */
function hasMore(schema: JsonSchema): boolean {
  const inner = innerOf(schema)
  if (inner) return inner.$ref !== undefined ? inner.$ref !== '#/components/schemas/Time' : hasMore(inner)
  return (
    schema.properties !== undefined ||
    alternativesOf(schema).some(each => each.$ref !== undefined || hasMore(each))
  )
}

/** Rendered only once it is opened, because schemas can contain themselves. */
function More({ title, schema, isSent }: { title: string; schema: JsonSchema; isSent: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="mt-1" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-[13px] text-accent">{title}</summary>
      {isOpen && (
        <div className="mt-1 border-l-2 border-line pl-3">
          <SchemaView schema={schema} isSent={isSent} />
        </div>
      )}
    </details>
  )
}
