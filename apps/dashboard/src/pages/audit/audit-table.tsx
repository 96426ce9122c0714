import type { AuditEntry } from '@sandglass/protocol'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { clientOf } from '../../app/client.ts'
import { useOrgId } from '../../app/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { saveCsv } from '../../ui/csv.ts'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Table } from '../../ui/table.tsx'
import { exactTime } from '../../ui/times.tsx'

/** All given texts must match, as the service compares them. */
interface Filter {
  readonly operation: string
  readonly actor: string
  readonly target: string
  readonly outcome: string
  /** A day. */
  readonly since: string
  readonly until: string
}

const noFilter: Filter = { operation: '', actor: '', target: '', outcome: '', since: '', until: '' }

const fields: readonly (readonly [keyof Filter, string, 'search' | 'date'])[] = [
  ['operation', 'Operation', 'search'],
  ['actor', 'Actor', 'search'],
  ['target', 'Resource', 'search'],
  ['outcome', 'Outcome', 'search'],
  ['since', 'From', 'date'],
  ['until', 'To', 'date'],
]

/** The log of an organization, or that of the operator. */
export function AuditTable({ operation }: { operation: 'listAuditLog' | 'listOperatorAuditLog' }) {
  const orgId = useOrgId()
  const [filter, setFilter] = useState(noFilter)
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: [operation, orgId, filter],
    queryFn: ({ pageParam, signal }) =>
      clientOf(orgId)[operation]({ ...queryOf(filter), ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const entries = data?.pages.flatMap(page => page.entries) ?? []
  return (
    <>
      <search className="flex flex-wrap items-end gap-3">
        {fields.map(([name, label, type]) => (
          <Field key={name} label={label}>
            <Input
              type={type}
              className="w-40"
              value={filter[name]}
              onChange={({ target }) => setFilter({ ...filter, [name]: target.value })}
            />
          </Field>
        ))}
        <Button disabled={entries.length === 0} onClick={() => save(entries)}>
          <Download />
          CSV
        </Button>
      </search>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && entries.length === 0 && <Empty title="No entry matches." />}
      {entries.length > 0 && (
        <Table
          label="Audit log"
          rows={entries}
          idOf={({ id }) => id}
          columns={[
            { title: 'When', cell: ({ at }) => <time dateTime={at}>{exactTime(at)}</time> },
            { title: 'Operation', cell: entry => <span className="font-medium">{entry.operation}</span> },
            {
              title: 'Outcome',
              cell: ({ outcome }) => (
                <Badge look={outcome === 'done' || outcome === 'attempted' ? 'good' : 'warn'}>
                  {outcome}
                </Badge>
              ),
            },
            {
              title: 'Actor',
              cell: ({ actor }) => <span title={actor.id}>{`${actor.kind} ${actor.id.slice(0, 8)}`}</span>,
            },
            {
              title: 'Resource',
              isExtra: true,
              cell: ({ target }) => target && <span title={target}>{target.slice(0, 8)}</span>,
            },
            { title: 'Address', isExtra: true, cell: ({ address }) => address },
          ]}
        />
      )}
      {hasNextPage && (
        <div>
          <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
            Older entries
          </Button>
        </div>
      )}
    </>
  )
}

function queryOf({ since, until, ...texts }: Filter) {
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== '')),
    ...(since && { since: new Date(`${since}T00:00:00`).toISOString() }),
    ...(until && { until: new Date(`${until}T23:59:59.999`).toISOString() }),
    limit: 100,
  }
}

function save(entries: readonly AuditEntry[]): void {
  const titles = ['at', 'operation', 'outcome', 'actorKind', 'actorId', 'target', 'address', 'requestId']
  const rows = entries.map(({ at, operation, outcome, actor, target, address, requestId }) => [
    ...[at, operation, outcome, actor.kind, actor.id, target, address, requestId],
  ])
  saveCsv('audit.csv', titles, rows)
}
