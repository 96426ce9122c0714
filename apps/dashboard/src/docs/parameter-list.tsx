import { Prose } from './prose.tsx'
import { useReference } from './reference.ts'
import type { Parameter } from './reference-data.ts'
import { resolve, typeOf } from './schema-type.ts'

const places = { path: 'in the path', query: 'in the query', header: 'header' } as const

export function ParameterList({ parameters }: { parameters: readonly Parameter[] }) {
  const { schemas } = useReference()
  return (
    <ul className="divide-y divide-line">
      {parameters.map(({ name, in: place, required, description, schema }) => {
        const usual = resolve(schema, schemas).schema.default
        return (
          <li key={`${place} ${name}`} className="py-2">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <code className="font-mono text-[13px] font-semibold">{name}</code>
              <span className="text-[13px] break-all text-quiet">{typeOf(schema, schemas)}</span>
              <span className="text-[13px] text-quiet">{places[place]}</span>
              {required && <span className="text-[13px] text-wrong">required</span>}
              {usual !== undefined && (
                <span className="text-[13px] text-quiet">by default {JSON.stringify(usual)}</span>
              )}
            </p>
            <p>
              <Prose text={description} />
            </p>
          </li>
        )
      })}
    </ul>
  )
}
