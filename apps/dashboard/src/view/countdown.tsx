import { useEffect, useState } from 'react'
import { clock } from './words.ts'

/** The countdown is shown for this long before the end. */
const shownSeconds = 5 * 60
const urgentSeconds = 60

/** The time that is left of a sandbox, shortly before its end. */
export function Countdown({ endsAt }: { endsAt: Date }) {
  const left = useSecondsUntil(endsAt)
  if (left > shownSeconds) return undefined
  const isUrgent = left <= urgentSeconds
  return (
    <>
      <span className={isUrgent ? 'badge urgent' : 'badge'} role="timer" data-testid="countdown">
        Ends in {clock(left)}
      </span>
      {/* Screen readers hear it twice, and not every second. */}
      <span className="unseen" role="status">
        {isUrgent
          ? 'This sandbox ends in less than a minute.'
          : 'This sandbox ends in less than five minutes.'}
      </span>
    </>
  )
}

/** The whole seconds until a moment. It is exact once the countdown is shown. */
function useSecondsUntil(end: Date): number {
  const endMs = end.getTime()
  const [now, setNow] = useState(Date.now)
  const leftMs = Math.max(0, endMs - now)
  useEffect(() => {
    if (leftMs === 0) return
    const untilShownMs = leftMs - shownSeconds * 1000
    const timer = setTimeout(
      () => setNow(Date.now()),
      untilShownMs > 0 ? Math.min(untilShownMs, 60_000) : 250,
    )
    return () => clearTimeout(timer)
  }, [leftMs])
  return Math.ceil(leftMs / 1000)
}
