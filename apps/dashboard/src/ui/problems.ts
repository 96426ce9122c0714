import { SandglassError } from '@sandglass/client'

interface Issue {
  readonly path: string
  readonly message: string
}

/** What the service says is wrong with fields of a request, by their path in the body, such as `name` or `screen.width`. */
export function problemsOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof SandglassError)) return {}
  const issues = error.fields['issues']
  if (!Array.isArray(issues)) return {}
  return Object.fromEntries(issues.filter(isIssue).map(({ path, message }) => [path, message]))
}

/** What went wrong, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isIssue(value: unknown): value is Issue {
  return typeof value === 'object' && value !== null && 'path' in value && 'message' in value
}
