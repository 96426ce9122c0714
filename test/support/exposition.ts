/** A metric as a service exposes it to Prometheus. */
export interface Exposed {
  readonly name: string
  readonly type: string
  readonly help: string
  /** The names of the labels of its series. Empty if it has no series yet. */
  readonly labels: readonly string[]
}

/** Reads the text format of Prometheus. */
export function parseExposition(text: string): readonly Exposed[] {
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  )
  const helps = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
  return helps.map(([, name = '', help = '']) => {
    const series = text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?(?:\\{(.*)\\})? `, 'gm'))
    const labels = [...series].flatMap(([, inside = '']) =>
      [...inside.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label = '']) => label),
    )
    const named = [...new Set(labels)].filter(label => label !== 'le')
    return { name, type: types.get(name) ?? '', help, labels: named }
  })
}
