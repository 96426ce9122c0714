import { median, type Row, row } from '../row.ts'
import { type Place, places } from './setting.ts'

/** What was measured, by the place of the machine. */
export type Times = Readonly<Record<Place, number[]>>

export const noTimes = (): Times => ({ 'on the same member': [], 'on another member': [], local: [] })

/** A row for each place in the cluster, beside a container of this host in the same run. */
export const besides = (what: string, times: Times): Row[] =>
  places
    .filter(place => place !== 'local')
    .map(place =>
      row(
        `cluster: ${what} p50 ${place}, beside a container of this host`,
        'ms',
        median(times[place]),
        median(times.local),
      ),
    )
