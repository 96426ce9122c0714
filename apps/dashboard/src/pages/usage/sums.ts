import type { Usage } from '@sandglass/protocol'

/** What usage is added up by. */
export type Group = 'shape' | 'project'

export interface Sum {
  readonly name: string
  readonly seconds: number
  readonly billedSeconds: number
}

/** The usage of each group, the largest first. */
export function sumsOf(usage: readonly Usage[], nameOf: (usage: Usage) => string): readonly Sum[] {
  return [...Map.groupBy(usage, nameOf)]
    .map(([name, some]) => ({
      name,
      seconds: total(some, 'seconds'),
      billedSeconds: total(some, 'billedSeconds'),
    }))
    .sort((a, b) => b.billedSeconds - a.billedSeconds)
}

function total(usage: readonly Usage[], field: 'seconds' | 'billedSeconds'): number {
  return usage.reduce((sum, each) => sum + each[field], 0)
}
