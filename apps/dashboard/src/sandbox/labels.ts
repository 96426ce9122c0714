/** Labels as people write them: one per line, as `name=value`. */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

export function parseLabels(text: string): Record<string, string> {
  const lines = text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
  return Object.fromEntries(
    lines.map(line => {
      const at = line.indexOf('=')
      return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}
