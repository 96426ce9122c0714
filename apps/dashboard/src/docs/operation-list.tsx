import { operations } from 'virtual:operation-list'
import { Search } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useMemo, useState } from 'react'
import { Input } from '../ui/input.tsx'
import { MethodBadge } from './method-badge.tsx'
import { operationLink, type Place } from './place.ts'
import type { OperationEntry } from './reference-data.ts'
import { type Found, search } from './search.ts'

/** Every operation, or those that are searched for. The arrow keys lead from the search through the list. */
export function OperationList({
  place,
  searchField,
  onGo,
}: {
  place: Place
  searchField: RefObject<HTMLInputElement | null>
  onGo: () => void
}) {
  const [text, setText] = useState('')
  const found = useMemo(() => search(operations, text), [text])
  const groups = text.trim() === '' ? [...Map.groupBy(found, ({ operation }) => operation.tag)] : undefined

  const go = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') setText('')
    const [first] = found
    if (event.key === 'Enter' && first && text.trim() !== '') {
      location.hash = operationLink(first.operation.id)
      onGo()
    }
  }

  return (
    <search className="flex min-h-0 flex-1 flex-col" onKeyDown={moveInList}>
      <div className="relative p-3">
        <Search
          className="pointer-events-none absolute top-5.5 left-5.5 size-4 text-quiet"
          aria-hidden="true"
        />
        <Input
          ref={searchField}
          type="search"
          aria-label="Search operations"
          aria-keyshortcuts="/"
          placeholder="Search (press /)"
          className="pl-8"
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={go}
        />
      </div>
      <p role="status" className="sr-only">
        {text.trim() === '' ? '' : `${found.length} operations found`}
      </p>
      <nav aria-label="Operations" className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {groups ? (
          groups.map(([tag, members]) => (
            <Group key={tag} title={tag} members={members} place={place} onGo={onGo} />
          ))
        ) : (
          <Group title={`${found.length} found`} members={found} place={place} onGo={onGo} />
        )}
      </nav>
    </search>
  )
}

function Group({
  title,
  members,
  place,
  onGo,
}: {
  title: string
  members: readonly Found[]
  place: Place
  onGo: () => void
}) {
  return (
    <section>
      <h2 className="px-2 pt-3 pb-1 text-[13px] font-semibold text-quiet">{title}</h2>
      <ul>
        {members.map(({ operation, error }) => (
          <li key={operation.id}>
            <a
              href={operationLink(operation.id)}
              aria-current={isShown(place, operation) ? 'page' : undefined}
              onClick={onGo}
              className="flex items-baseline gap-1 rounded-md px-2 py-1 hover:bg-accent-soft aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium"
            >
              <MethodBadge method={operation.method} />
              <span className="min-w-0 break-words">
                <span className={operation.isDeprecated ? 'line-through' : undefined}>{operation.id}</span>
                {error && <span className="block font-mono text-[11px] text-quiet">{error}</span>}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function isShown(place: Place, { id, publishedId }: OperationEntry): boolean {
  return place.kind === 'operation' && (place.id === id || place.id === publishedId)
}

function moveInList(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')]
  const next = stops[stops.indexOf(event.target as HTMLElement) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
