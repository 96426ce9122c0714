const unreleased = '## Unreleased\n'

/**
 * Moves what is below "Unreleased" to a section of the version, and leaves an empty "Unreleased" above it. Throws if there is
 * nothing to move, because a release without a line in the changelog is a mistake.
 */
export function releaseChangelog(text: string, version: string, date: string): string {
  const start = text.indexOf(unreleased)
  if (start < 0) throw new Error('CHANGELOG.md has no section "Unreleased". Add one above the last version.')
  const body = start + unreleased.length
  const next = text.indexOf('\n## ', body)
  const changes = text.slice(body, next < 0 ? undefined : next).trim()
  if (changes === '')
    throw new Error(
      'CHANGELOG.md has nothing below "Unreleased". Add a line for each change that users notice.',
    )
  const rest = next < 0 ? '' : text.slice(next)
  return `${text.slice(0, body)}\n## ${version} (${date})\n\n${changes}\n${rest}`
}
