import { appendFile, readFile } from 'node:fs/promises'
import type { Call } from './calls.ts'

/** The result of one fault. */
export interface Result {
  readonly target: string
  readonly fault: string
  readonly restoredMs: number
  readonly longestCallMs: number
  /** The errors of calls until everything worked again. */
  readonly refusals: readonly string[]
}

/** The file in which results are kept for the page, one per line; unset means nowhere. */
const file = process.env['FAULT_RESULTS']

export async function addResult(result: Result): Promise<void> {
  if (file !== undefined) await appendFile(file, `${JSON.stringify(result)}\n`)
}

/** The results of previous runs; undefined if they are not kept. */
export async function readResults(): Promise<Result[] | undefined> {
  if (file === undefined) return undefined
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  return lines.filter(Boolean).map(line => JSON.parse(line))
}

export function refusalsIn(calls: readonly Call[]): string[] {
  const refused = calls.filter(({ status }) => status !== 200)
  return [
    ...new Set(refused.map(({ status, code }) => (status === 0 ? 'no answer' : `${status} ${code ?? ''}`))),
  ]
}
