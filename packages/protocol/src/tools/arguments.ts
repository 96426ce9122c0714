import type { z } from 'zod'
import type { ToolDefinition } from './tool-definition.ts'
import { ToolError } from './tool-error.ts'

/** Validates the arguments of a call. The error tells the model which arguments to fix and how. */
export function parseArguments<Input extends z.ZodType>(
  tool: Pick<ToolDefinition<Input>, 'name' | 'input'>,
  given: unknown,
): z.output<Input> {
  const result = tool.input.safeParse(given ?? {})
  if (result.success) return result.data
  const problems = result.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
  )
  throw new ToolError(
    `The arguments of ${tool.name} are not valid: ${problems.join('; ')}. Fix them and call again.`,
  )
}
