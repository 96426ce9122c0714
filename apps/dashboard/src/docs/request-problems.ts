import { filledRequest, type Inputs, neededIn } from './inputs.ts'
import type { Values } from './placeholders.ts'
import type { OperationDetails, OperationEntry } from './reference-data.ts'

/** What is wrong with a request before it is sent, by field: `{sandboxId}` for a placeholder, a parameter, or `body`. */
export function problemsIn(
  entry: OperationEntry,
  details: OperationDetails,
  inputs: Inputs,
  values: Values,
): Record<string, string> {
  const missing = neededIn(entry, inputs).filter(name => !values[name])
  const required = details.parameters.filter(
    ({ name, in: place, required: isRequired }) => isRequired && place !== 'path' && !inputs.parameters[name],
  )
  const body = bodyProblem(details, inputs, filledRequest(entry, details, inputs, values).body)
  return {
    ...Object.fromEntries(missing.map(name => [`{${name}}`, 'Enter what this stands for.'])),
    ...Object.fromEntries(required.map(({ name }) => [name, 'This is required.'])),
    ...(body !== undefined && { body }),
  }
}

function bodyProblem({ body }: OperationDetails, inputs: Inputs, text: string | null): string | undefined {
  if (body?.kind === 'form' && inputs.files.length === 0) return 'Choose at least one file.'
  if (body?.kind !== 'json' || text === null || text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}
