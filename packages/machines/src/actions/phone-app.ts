import { MachineError } from '../contract/errors.ts'
import type { App } from '../contract/phone.ts'

/** So many candidates help whoever reads them. */
const maxCandidates = 12

/** The app that a name means: by its label or its package, whatever its case, by a part of it where only one app has that. */
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

/** Letters and figures of every script, in small ones. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** How many letters have to be changed, added or left out to make one of the other (Levenshtein). */
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
