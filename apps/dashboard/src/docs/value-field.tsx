import { useId, useState } from 'react'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useCredential } from './credential.tsx'
import { useReference } from './reference.ts'
import { type Suggestion, suggestionsFor } from './suggestions.ts'
import { useValues } from './values.tsx'

/** What a placeholder stands for. It suggests what the service lists. */
export function ValueField({ name, problem }: { name: string; problem: string | undefined }) {
  const { placeholders } = useReference()
  const { values, set } = useValues()
  const { credential } = useCredential()
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([])
  const list = useId()
  return (
    <Field label={name} hint={placeholders[name]} problem={problem}>
      <ListedInput
        list={list}
        suggestions={suggestions}
        value={values[name] ?? ''}
        onChange={text => set(name, text)}
        onFocus={() => void suggestionsFor(name, values, credential).then(setSuggestions)}
      />
    </Field>
  )
}

interface ListedInputProps {
  readonly list: string
  readonly suggestions: readonly Suggestion[]
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onFocus: () => void
  readonly id?: string | undefined
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: boolean | undefined
}

function ListedInput({ list, suggestions, onChange, ...rest }: ListedInputProps) {
  return (
    <div>
      <Input
        list={list}
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-[13px]"
        onChange={event => onChange(event.target.value)}
        {...rest}
      />
      <datalist id={list}>
        {suggestions.map(({ value, label }) => (
          <option key={value} value={value} label={label} />
        ))}
      </datalist>
    </div>
  )
}
