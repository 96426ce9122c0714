import { MachineError } from '../contract/errors.ts'
import type { App } from '../contract/phone.ts'

/** An error message lists at most this many apps. */
const maxCandidates = 12

/**
 * Finds the app that a name means: by its label or package name, regardless of case, then by a part of the label that only
 * one app has, then by a label with a typing mistake. A name that means no app or several fails with INVALID and lists the
 * candidates.
 */
export function appByName(name: string, apps: readonly App[]): App {
  const wanted = plain(name)
  const matches = [
    (app: App) => plain(app.label) === wanted || app.packageName === name,
    (app: App) => plain(app.label).startsWith(wanted),
    (app: App) => plain(app.label).includes(wanted) || plain(app.packageName).includes(wanted),
    (app: App) => distance(plain(app.label), wanted) <= Math.floor(wanted.length / 4),
  ]
  for (const match of wanted === '' ? [] : matches) {
    const [found, ...others] = apps.filter(match)
    if (found && others.length === 0) return found
    if (found) throw noApp(name, 'names several apps', [found, ...others])
  }
  throw noApp(name, 'names no app', apps)
}

function noApp(name: string, what: string, candidates: readonly App[]): MachineError {
  const shown = candidates
    .slice(0, maxCandidates)
    .map(({ label, packageName }) => `${label} (${packageName})`)
  const more = candidates.length > maxCandidates ? ` and ${candidates.length - maxCandidates} more` : ''
  return new MachineError('INVALID', `${JSON.stringify(name)} ${what}: there are ${shown.join(', ')}${more}`)
}

/** Only letters and digits of any script, in lower case. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** The Levenshtein distance: how many letters must be changed, added or removed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries())
      next.push(
        Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
