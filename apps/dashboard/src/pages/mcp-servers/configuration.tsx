import type { McpServer } from '@sandglass/protocol'
import { useState } from 'react'
import { Code } from '../../ui/copy.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/input.tsx'
import { assistants } from './assistants.ts'

/** What to copy into an assistant so that it uses the server. The key is the person's own, so it is not filled in. */
export function Configuration({ server }: { server: McpServer }) {
  const [chosen, setChosen] = useState(assistants[0]?.id)
  const assistant = assistants.find(({ id }) => id === chosen)
  const url = `${location.origin}/api/mcp/${server.id}`
  return (
    <div className="flex flex-col gap-3">
      <Field label="Assistant">
        <Select value={chosen} onChange={event => setChosen(event.target.value)}>
          {assistants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      {assistant && <Code label={assistant.place} text={assistant.configuration(server.name, url)} />}
      <p className="text-[13px] text-quiet">
        Put an API key with the role member in the place of YOUR_API_KEY. Whoever has it can use this
        organization.
      </p>
    </div>
  )
}
