import { setTimeout } from 'node:timers/promises'
import { median, p95, type Row, row } from '../row.ts'
import { timed } from '../timed.ts'

interface Rounds {
  readonly rounds: number
  /** Rounds that are not counted, because the processes still compile code. */
  readonly warmUps: number
  /** The pause before each call. */
  readonly pauseMs?: number
}

const defaultRounds: Rounds = { rounds: 400, warmUps: 200 }

/** Measures the same operation through the other process and directly, alternating, and the difference of the medians. */
export async function besideOwner(
  name: string,
  through: () => Promise<unknown>,
  direct: () => Promise<unknown>,
  { rounds, warmUps, pauseMs }: Rounds = defaultRounds,
): Promise<Row[]> {
  const times = { through: [] as number[], direct: [] as number[] }
  const turns = { through, direct }
  for (let round = 0; round < warmUps + rounds; round++)
    // Swap the order each round, so that neither always goes first.
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
