import { type AnyTool, ToolError } from './tool.ts'

/** The arguments of a call, or an error that tells the model which of them to mend and how. */
export function parseArguments(tool: AnyTool, given: unknown): unknown {
  const result = tool.input.safeParse(given ?? {})
  if (result.success) return result.data
  const problems = result.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
  )
  throw new ToolError(
    `The arguments of ${tool.name} are not valid: ${problems.join('; ')}. Fix them and call again.`,
  )
}
