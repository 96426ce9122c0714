import { Search } from 'lucide-react'
import { Input, Select } from '../../ui/input.tsx'
import type { Filter, Order } from './filter.ts'

const statuses: readonly (readonly [Filter['status'], string])[] = [
  ['', 'Any state'],
  ['RUNNING', 'Running'],
  ['PENDING', 'Starting'],
  ['STOPPED', 'Stopped'],
  ['ERROR', 'Failed'],
  ['ENDED', 'Ended recently'],
]

const orders: readonly (readonly [Order, string])[] = [
  ['newest', 'Newest first'],
  ['ending', 'Ending first'],
  ['name', 'By name'],
  ['status', 'By state'],
]

export function Filters({
  filter,
  onChange,
  shown,
  all,
  projects,
}: {
  filter: Filter
  onChange: (filter: Filter) => void
  shown: number
  all: number
  projects: ReadonlyMap<string, string>
}) {
  const set = (change: Partial<Filter>) => onChange({ ...filter, ...change })
  return (
    <search className="flex flex-wrap items-center gap-2">
      <div className="relative min-w-48 flex-1">
        <Search
          className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-quiet"
          aria-hidden="true"
        />
        <Input
          type="search"
          aria-label="Search by name, id, shape or label"
          placeholder="Name, id, shape or label=value"
          className="pl-8"
          value={filter.text}
          onChange={event => set({ text: event.target.value })}
        />
      </div>
      <Select
        aria-label="State"
        className="w-auto"
        value={filter.status}
        onChange={event => set({ status: event.target.value as Filter['status'] })}
      >
        {statuses.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
      {projects.size > 1 && (
        <Select
          aria-label="Project"
          className="w-auto"
          value={filter.projectId}
          onChange={event => set({ projectId: event.target.value })}
        >
          <option value="">Any project</option>
          {[...projects].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      <Select
        aria-label="Order"
        className="w-auto"
        value={filter.order}
        onChange={event => set({ order: event.target.value as Order })}
      >
        {orders.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
      <p role="status" className="text-[13px] text-quiet">
        {shown === all ? all : `${shown} of ${all}`}
      </p>
    </search>
  )
}
