import { setTimeout } from 'node:timers/promises'
import { median, p95, type Row, row } from '../row.ts'
import { timed } from '../timed.ts'

interface Rounds {
  readonly rounds: number
  /** Processes that have run for a while have their code compiled. */
  readonly warmUps: number
  /** Between two of them. */
  readonly pauseMs?: number
}

const many: Rounds = { rounds: 400, warmUps: 200 }

/** How long the same takes through the other process and directly, by turns; and the difference of the medians. */
export async function besideOwner(
  name: string,
  through: () => Promise<unknown>,
  direct: () => Promise<unknown>,
  { rounds, warmUps, pauseMs }: Rounds = many,
): Promise<Row[]> {
  const times = { through: [] as number[], direct: [] as number[] }
  const turns = { through, direct }
  for (let round = 0; round < warmUps + rounds; round++)
    // Each of them is the first by turns.
    for (const who of round % 2 === 0 ? (['through', 'direct'] as const) : (['direct', 'through'] as const)) {
      if (pauseMs !== undefined) await setTimeout(pauseMs)
      const took = await timed(turns[who])
      if (round >= warmUps) times[who].push(took)
    }
  return [
    row(
      `${name} through another process, p50, beside its owner`,
      'ms',
      median(times.through),
      median(times.direct),
    ),
    row(
      `${name} through another process, p95, beside its owner`,
      'ms',
      p95(times.through),
      p95(times.direct),
    ),
    row(`${name}: forwarding adds, difference of p50`, 'ms', median(times.through) - median(times.direct)),
  ]
}
