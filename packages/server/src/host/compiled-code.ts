import { stat } from 'node:fs/promises'
import { join } from 'node:path'

export const compiledCodeOf = (checkout: string) => join(checkout, 'node_modules/.cache/confined')

/** Compiled code for processes without rights, if `npm start` has made it. */
export async function findCompiledCode(checkout: string): Promise<string | undefined> {
  const folder = compiledCodeOf(checkout)
  return (await stat(folder).catch(() => undefined)) && folder
}
