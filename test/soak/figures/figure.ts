/** What is measured, by name. Bytes and counts are whole numbers. */
export type Figures = ReadonlyMap<string, number>

/** In which unit a figure is printed. */
export type Unit = 'bytes' | 'count' | 'cores'

export function unitOf(name: string): Unit {
  if (name.endsWith(' used')) return 'cores'
  return /^(memory|disk|database): /.test(name) ? 'bytes' : 'count'
}
