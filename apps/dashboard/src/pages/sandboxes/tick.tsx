import { useMay } from '../../app/rights.ts'
import { classes } from '../../ui/classes.ts'

/** Picks a sandbox for what is done to several at once. */
export function Tick({
  name,
  isTicked,
  onTick,
  className,
}: {
  name: string
  isTicked: boolean
  onTick: () => void
  className?: string
}) {
  if (!useMay('member')) return null
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name}`}
      checked={isTicked}
      onChange={onTick}
      className={classes('z-10 size-5 cursor-pointer accent-accent', className)}
    />
  )
}
