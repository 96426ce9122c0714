import { Field } from '../../ui/field.tsx'
import { Select, TextArea } from '../../ui/input.tsx'
import { type Choices, linesOf } from './choices.ts'

/** What the sandbox can reach. */
export function EgressFields({
  choices,
  problems,
  onChange,
}: {
  choices: Choices
  problems: Readonly<Record<string, string>>
  onChange: (change: Partial<Choices>) => void
}) {
  return (
    <>
      <Field label="Network">
        <Select
          value={choices.egress}
          onChange={event => onChange({ egress: event.target.value as Choices['egress'] })}
        >
          <option value="internet">The internet, without private networks</option>
          <option value="none">Nothing</option>
          <option value="list">Only some hosts</option>
        </Select>
      </Field>
      {choices.egress === 'list' && (
        <Field
          label="Hosts"
          hint="One per line: example.com, *.example.com, or a network such as 203.0.113.0/24."
          problem={problemOf(problems, choices)}
        >
          <TextArea
            rows={3}
            className="font-mono"
            value={choices.destinations}
            onChange={event => onChange({ destinations: event.target.value })}
          />
        </Field>
      )}
    </>
  )
}

/** The service counts the lines from 0; people see the line itself. */
function problemOf(
  problems: Readonly<Record<string, string>>,
  { destinations }: Choices,
): string | undefined {
  const [path, message] = Object.entries(problems).find(([at]) => at.startsWith('egress')) ?? []
  if (path === undefined) return undefined
  const line = linesOf(destinations)[Number(path.split('.')[1])]
  return line === undefined ? message : `${line}: ${message}`
}
