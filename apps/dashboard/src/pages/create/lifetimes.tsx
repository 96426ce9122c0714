import { Field } from '../../ui/field.tsx'
import { Input, Select } from '../../ui/input.tsx'
import type { Choices } from './choices.ts'

/** How long the sandbox lives, and what happens then. */
export function Lifetimes({
  choices,
  problem,
  onChange,
}: {
  choices: Choices
  problem: string | undefined
  onChange: (change: Partial<Choices>) => void
}) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Lifetime in minutes" hint="It can be extended later." problem={problem}>
        <Input
          type="number"
          min={1}
          value={Number.isNaN(choices.lifeMinutes) ? '' : choices.lifeMinutes}
          onChange={event => onChange({ lifeMinutes: event.target.valueAsNumber })}
        />
      </Field>
      <Field label="When its time is up">
        <Select
          value={choices.onTimeout}
          onChange={event => onChange({ onTimeout: event.target.value as Choices['onTimeout'] })}
        >
          <option value="delete">Delete it</option>
          <option value="pause">Pause it</option>
        </Select>
      </Field>
    </div>
  )
}
