import { Badge } from '../ui/badge.tsx'
import { Prose } from './prose.tsx'
import { useReference } from './reference.ts'
import type { OperationDetails } from './reference-data.ts'
import { typeOf } from './schema-type.ts'
import { SchemaView } from './schema-view.tsx'

export function ResponseList({ responses }: { responses: OperationDetails['responses'] }) {
  const { schemas } = useReference()
  return (
    <ul className="flex flex-col gap-3">
      {responses.map(({ status, description, contents }) => (
        <li key={status} className="flex flex-col gap-1">
          <p className="flex flex-wrap items-baseline gap-2">
            <Badge look="good">{status}</Badge>
            <span>
              <Prose text={description} />
            </span>
          </p>
          {contents.map(({ type, schema }) => (
            <div key={type}>
              <p className="text-[13px] text-quiet">
                {type}
                {schema && `: ${typeOf(schema, schemas)}`}
              </p>
              {schema && <SchemaView schema={schema} />}
            </div>
          ))}
        </li>
      ))}
    </ul>
  )
}
