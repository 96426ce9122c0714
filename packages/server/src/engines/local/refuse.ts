import type { Check } from '@sandglass/machines/contract'

/** Throws an error that lists the failed checks and how to fix each, because machines could not run on this host. */
export function refuse(checks: readonly Check[], instead: string): void {
  const failed = checks.filter(({ result }) => result === 'fail')
  if (failed.length === 0) return
  const lines = failed.map(
    ({ name, what, fix }) => `  ${name}: ${what}. Fix: ${fix ?? 'see docs/machines.md'}`,
  )
  throw new Error(`This host cannot run machines:\n${lines.join('\n')}\n${instead}`)
}
