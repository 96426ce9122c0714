import { CopyButton } from '../../../ui/copy.tsx'

/** Short values to read and to copy. */
export function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className="flex flex-col gap-2">
      {facts.map(([name, value]) => (
        <div key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <dt className="w-28 text-quiet">{name}</dt>
          <dd className="flex min-w-0 items-center gap-2">
            <code className="truncate font-mono text-[13px]">{value}</code>
            <CopyButton text={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
