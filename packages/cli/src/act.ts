import type { Input } from '@sandglass/client'
import type { Context } from './context.ts'
import { CliError } from './failures.ts'
import { findSandboxId } from './find-by-name.ts'

export type Action = Input<'executeSandboxActions'>['body']['actions'][number]

interface Outcome {
  readonly results: readonly {
    readonly error?: { readonly message: string } | undefined
    readonly actionResult?: unknown
  }[]
  readonly failedIndex?: number | undefined
}

/** Performs actions, which are about a screen whose picture nobody here looks at. */
export async function act(context: Context, text: string, actions: readonly Action[]): Promise<void> {
  const sandboxId = await findSandboxId(context, text)
  const client = await context.client()
  const body = { actions: [...actions], includeScreenShot: false }
  const outcome = await client.executeSandboxActions({ sandboxId, body }, { signal: context.signal })
  report(context, sandboxId, outcome)
}

/** Prints what came of actions, and fails if one of them did. */
export function report({ output }: Context, sandboxId: string, outcome: Outcome): void {
  if (output.format === 'json') output.json(outcome)
  else if (output.format === 'name') output.line(sandboxId)
  else
    for (const { actionResult } of outcome.results)
      if (actionResult !== undefined && actionResult !== null) output.line(JSON.stringify(actionResult))
  const { failedIndex } = outcome
  if (failedIndex === undefined) return
  const message = outcome.results[failedIndex]?.error?.message
  throw new CliError(`Action ${failedIndex + 1} failed: ${message}`, 'Later actions were not attempted.')
}
