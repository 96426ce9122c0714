import { Field } from '../ui/field.tsx'
import { Input, TextArea } from '../ui/input.tsx'
import type { Inputs } from './inputs.ts'
import type { OperationDetails } from './reference-data.ts'

/** The body of a request: JSON, a file, or the files of a form. */
export function BodyField({
  details: { body },
  inputs,
  problem,
  onChange,
}: {
  details: OperationDetails
  inputs: Inputs
  problem: string | undefined
  onChange: (inputs: Inputs) => void
}) {
  if (!body) return null
  if (body.kind === 'json')
    return (
      <Field label="Body" problem={problem}>
        <TextArea
          className="field-sizing-content max-h-96 font-mono text-[13px]"
          spellCheck={false}
          value={inputs.body ?? ''}
          onChange={event => onChange({ ...inputs, body: event.target.value })}
        />
      </Field>
    )
  return (
    <>
      <Field label={body.kind === 'form' ? 'Files' : 'File'} problem={problem}>
        <Input
          type="file"
          className="h-auto py-1.5"
          multiple={body.kind === 'form'}
          onChange={event => onChange({ ...inputs, files: [...(event.target.files ?? [])] })}
        />
      </Field>
      {inputs.body !== null && inputs.files.length === 0 && (
        <Field label="Or a text">
          <TextArea
            className="font-mono text-[13px]"
            value={inputs.body}
            onChange={event => onChange({ ...inputs, body: event.target.value })}
          />
        </Field>
      )}
    </>
  )
}
