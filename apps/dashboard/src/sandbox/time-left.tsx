import type { Sandbox } from '@sandglass/protocol'
import { duration, exactTime, useNow } from '../ui/times.tsx'

const soonSeconds = 300

/** How long a sandbox lives, as a countdown. */
export function TimeLeft({ sandbox: { expiresAt, lifecycle } }: { sandbox: Sandbox }) {
  const left = (Date.parse(expiresAt) - useNow()) / 1000
  const what = lifecycle?.onTimeout === 'pause' ? 'Pauses' : 'Ends'
  return (
    <time
      dateTime={expiresAt}
      title={exactTime(expiresAt)}
      className={left < soonSeconds ? 'font-medium text-warn tabular-nums' : 'tabular-nums'}
    >
      {what} in {duration(left)}
    </time>
  )
}
