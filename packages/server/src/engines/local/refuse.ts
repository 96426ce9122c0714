import type { Check } from '@sandglass/machines/contract'

/** Throws what doctor found wrong, with the step that fixes each, because machines could not run. */
export function refuse(checks: readonly Check[], instead: string): void {
  const failed = checks.filter(({ result }) => result === 'fail')
  if (failed.length === 0) return
  const lines = failed.map(
    ({ name, what, fix }) => `  ${name}: ${what}. Fix: ${fix ?? 'see docs/machines.md'}`,
  )
  throw new Error(`This host cannot run machines:\n${lines.join('\n')}\n${instead}`)
}
