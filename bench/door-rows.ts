import { median, type Row, row } from './row.ts'
import type { BenchService } from './service.ts'
import { timed } from './timed.ts'

/** The options with which E2B's client uses the service. */
export function doorOptions({ url, headers }: BenchService) {
  const apiKey = headers['x-api-key'] ?? ''
  return { apiKey, apiUrl: url, sandboxUrl: url, validateApiKey: false, timeoutMs: 3_600_000 }
}

/**
 * Measures what a door costs beside the same through our own client, alternating. `before` prepares what both find, and is not
 * measured.
 */
export async function besideOurs(
  name: string,
  rounds: number,
  theirs: () => Promise<unknown>,
  ours: () => Promise<unknown>,
  before: () => Promise<unknown> = async () => {},
): Promise<Row> {
  const [through, own]: [number[], number[]] = [[], []]
  for (let round = -5; round < rounds; round++) {
    // Each is as often the first as the second of a round.
    const isFirst = round % 2 === 0
    await before()
    const early = await timed(isFirst ? theirs : ours)
    await before()
    const late = await timed(isFirst ? ours : theirs)
    if (round < 0) continue
    through.push(isFirst ? early : late)
    own.push(isFirst ? late : early)
  }
  return row(`${name} p50`, 'ms', median(through), median(own))
}
