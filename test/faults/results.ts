import { readFile, writeFile } from 'node:fs/promises'
import type { Call } from './calls.ts'

/** How one fault went. */
export interface Result {
  readonly target: string
  readonly fault: string
  readonly restoredMs: number
  readonly longestCallMs: number
  /** What calls were refused with until everything worked again. */
  readonly refusals: readonly string[]
}

/** Where results are added to, for the page; nowhere unless it is set. */
const file = process.env['FAULT_RESULTS']

export async function addResult(result: Result): Promise<void> {
  if (file === undefined) return
  const before = await readFile(file, 'utf8').catch(() => '')
  await writeFile(file, `${before}${JSON.stringify(result)}\n`)
}

export function refusalsIn(calls: readonly Call[]): string[] {
  const refused = calls.filter(({ status }) => status !== 200)
  return [
    ...new Set(refused.map(({ status, code }) => (status === 0 ? 'no answer' : `${status} ${code ?? ''}`))),
  ]
}
