import { RadioGroup } from 'radix-ui'
import { Badge } from '../../ui/badge.tsx'
import type { Reading } from './use-readings.ts'

/** What each parser has read. Those that found something come first, and one is chosen to be drawn and run. */
export function Readings({
  readings,
  chosen,
  onChoose,
}: {
  readings: readonly Reading[]
  chosen: string
  onChoose: (type: string) => void
}) {
  const sorted = readings.toSorted((a, b) => countOf(b) - countOf(a) || a.type.localeCompare(b.type))
  return (
    <RadioGroup.Root
      aria-label="Parsers"
      value={chosen}
      onValueChange={onChoose}
      className="flex flex-col gap-2"
    >
      {sorted.map(reading => (
        <RadioGroup.Item
          key={reading.type}
          value={reading.type}
          aria-label={reading.type}
          className="flex flex-col gap-1 rounded-md border border-line bg-panel p-3 text-left data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft"
        >
          <span className="flex items-center gap-2">
            <span className="font-medium">{reading.type}</span>
            <Badge look={countOf(reading) > 0 ? 'good' : 'quiet'}>
              {countOf(reading) === 1 ? '1 action' : `${countOf(reading)} actions`}
            </Badge>
          </span>
          <span className="text-[13px] text-quiet">{reading.problem ?? reading.about}</span>
          {reading.type === chosen && reading.parsed && (
            <code className="font-mono text-[13px] break-words whitespace-pre-wrap">
              {JSON.stringify(reading.parsed, undefined, 2)}
            </code>
          )}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}

function countOf({ parsed }: Reading): number {
  return parsed?.actions.length ?? 0
}
