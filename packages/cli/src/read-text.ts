import { text } from 'node:stream/consumers'
import type { Context } from './context.ts'
import { UsageError } from './failures.ts'

/** A text that is given as an argument, or comes from a pipe if that is `-` or left out. */
export async function readText({ stdin }: Context, given: string | undefined, what: string): Promise<string> {
  if (given !== undefined && given !== '-') return given
  if (given === undefined && stdin.isTTY)
    throw new UsageError(`There is no ${what}.`, 'Give it as an argument, or pipe it in.')
  return text(stdin)
}
