import type { PublishedCluster } from '../db/schema.ts'
import type { Engines } from './engines.ts'

/** How many members of a cluster a sentence names. */
const maxNamed = 5

/** Returns the clusters that the engines of this process use. An engine whose members cannot be read has none. */
export async function clustersOf(engines: Pick<Engines, 'names' | 'get'>): Promise<PublishedCluster[]> {
  const all = await Promise.all(
    engines.names.map(async name => {
      const engine = engines.get(name)
      if (!engine || (engine.cluster === undefined && !engine.members)) return []
      const members = (await engine.members?.().catch(() => undefined)) ?? []
      return [{ engine: name, cluster: engine.cluster, members }]
    }),
  )
  return all.flat()
}

/** Says which members of a cluster are gone, as a sentence; undefined if none is. */
export function whyDegraded({ members }: PublishedCluster): string | undefined {
  const gone = members.filter(({ status }) => status === 'offline').map(({ name }) => name)
  if (gone.length === 0) return undefined
  const named = gone.slice(0, maxNamed).join(', ')
  const others = gone.length > maxNamed ? ` and ${gone.length - maxNamed} more` : ''
  return `Members of the cluster are offline (${gone.length} of ${members.length}): ${named}${others}.`
}
