import type { ListedShape } from '@sandglass/protocol'
import { RadioGroup } from 'radix-ui'

/** The kinds of machines, with what they have and what they cost. */
export function ShapePicker({
  shapes,
  chosen,
  isFixed,
  onChoose,
}: {
  shapes: readonly ListedShape[]
  chosen: string
  isFixed: boolean
  onChoose: (name: string) => void
}) {
  return (
    <fieldset disabled={isFixed} className="flex flex-col gap-2 disabled:opacity-50">
      <legend className="mb-1 font-medium">Shape</legend>
      <RadioGroup.Root
        aria-label="Shape"
        value={chosen}
        onValueChange={onChoose}
        disabled={isFixed}
        className="grid gap-2 sm:grid-cols-2"
      >
        {shapes.map(shape => (
          <RadioGroup.Item
            key={shape.name}
            value={shape.name}
            aria-label={shape.name}
            className="flex flex-col gap-0.5 rounded-md border border-line-strong bg-raised p-3 text-left data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft"
          >
            <span className="font-medium">{shape.name}</span>
            <span className="text-[13px] text-quiet">{shape.description}</span>
            <span className="text-[13px]">
              {sizeOf(shape)} · {priceOf(shape)}
            </span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </fieldset>
  )
}

function sizeOf({ cpus, memoryMiB, diskMiB, os }: ListedShape): string {
  // Phones of a pool are what they are.
  if (cpus === 0) return os
  return `${cpus} CPU, ${gib(memoryMiB)} memory, ${gib(diskMiB)} disk`
}

function gib(mib: number): string {
  return mib < 1024 ? `${mib} MiB` : `${Math.round(mib / 102.4) / 10} GiB`
}

function priceOf({ pricePerHour }: ListedShape): string {
  return Number(pricePerHour) === 1 ? 'an hour costs an hour' : `an hour costs ${Number(pricePerHour)} h`
}
