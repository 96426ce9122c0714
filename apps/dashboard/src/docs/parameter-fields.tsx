import { Field } from '../ui/field.tsx'
import { Input, Select } from '../ui/input.tsx'
import type { Inputs } from './inputs.ts'
import { useReference } from './reference.ts'
import type { OperationDetails } from './reference-data.ts'
import { resolve } from './schema-type.ts'

/** The parameters of the query and the headers. Those that are neither needed nor in the example are folded away. */
export function ParameterFields({
  details,
  inputs,
  problems,
  onChange,
}: {
  details: OperationDetails
  inputs: Inputs
  problems: Readonly<Record<string, string>>
  onChange: (inputs: Inputs) => void
}) {
  const { schemas } = useReference()
  const given = details.parameters.filter(parameter => parameter.in !== 'path')
  const isShown = ({ name, required }: (typeof given)[number]) =>
    required || inputs.parameters[name] !== undefined
  const field = (parameter: (typeof given)[number]) => {
    const { name, schema, description } = parameter
    const choices = resolve(schema, schemas).schema.enum
    const shared = {
      value: inputs.parameters[name] ?? '',
      onChange: (event: { target: { value: string } }) =>
        onChange({ ...inputs, parameters: { ...inputs.parameters, [name]: event.target.value } }),
    }
    return (
      <Field
        key={name}
        label={name}
        hint={isShown(parameter) ? undefined : description}
        problem={problems[name]}
      >
        {choices ? (
          <Select {...shared}>
            <option value="">Not given</option>
            {choices.map(choice => (
              <option key={String(choice)}>{String(choice)}</option>
            ))}
          </Select>
        ) : (
          <Input {...shared} spellCheck={false} className="font-mono text-[13px]" />
        )}
      </Field>
    )
  }
  const others = given.filter(parameter => !isShown(parameter))
  return (
    <>
      {given.filter(isShown).map(field)}
      {others.length > 0 && (
        <details>
          <summary className="cursor-pointer text-accent">
            {others.length === 1 ? 'Another parameter' : `${others.length} other parameters`}
          </summary>
          <div className="mt-2 flex flex-col gap-3">{others.map(field)}</div>
        </details>
      )}
    </>
  )
}
