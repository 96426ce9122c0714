import type { Usage } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useCall } from '../../app/calls.ts'
import { Button } from '../../ui/button.tsx'
import { saveCsv } from '../../ui/csv.ts'
import { Field } from '../../ui/field.tsx'
import { Input, Select } from '../../ui/input.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Table } from '../../ui/table.tsx'
import { duration } from '../../ui/times.tsx'
import { useProjectNames } from '../sandboxes/project-names.ts'
import { Limits } from './limits.tsx'
import { type Group, sumsOf } from './sums.ts'

const UsagePlot = lazy(() => import('./usage-plot.tsx'))

/** How long machines ran, and what of the plan is used. */
export function UsagePage() {
  const [from, setFrom] = useState(() => dayBefore(30))
  const [to, setTo] = useState(() => dayBefore(0))
  const [group, setGroup] = useState<Group>('shape')
  const { data, error } = useQuery(useCall('getUsage', { from, to }))
  const projects = useProjectNames()
  const nameOf = (usage: Usage) =>
    group === 'shape' ? usage.shapeName : (projects.get(usage.projectId) ?? 'a deleted project')
  const sums = sumsOf(data ?? [], nameOf)
  return (
    <Page
      title="Usage"
      about="Only the time in which machines run counts."
      actions={
        <Button disabled={!data?.length} onClick={() => data && save(data, projects)}>
          <Download />
          CSV
        </Button>
      }
    >
      <div className="flex flex-wrap items-end gap-3">
        <Field label="From">
          <Input
            type="date"
            value={from}
            max={to}
            onChange={({ target }) => target.value && setFrom(target.value)}
          />
        </Field>
        <Field label="To">
          <Input
            type="date"
            value={to}
            min={from}
            onChange={({ target }) => target.value && setTo(target.value)}
          />
        </Field>
        <Field label="By">
          <Select value={group} onChange={event => setGroup(event.target.value as Group)}>
            <option value="shape">Shape</option>
            <option value="project">Project</option>
          </Select>
        </Field>
      </div>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <Empty title="No machine ran in this time." />}
      {data && data.length > 0 && (
        <>
          <Panel>
            <Suspense fallback={<Loading what="Drawing" />}>
              <UsagePlot usage={data} from={from} to={to} nameOf={nameOf} />
            </Suspense>
          </Panel>
          <Table
            label="Usage"
            rows={sums}
            idOf={({ name }) => name}
            columns={[
              {
                title: group === 'shape' ? 'Shape' : 'Project',
                cell: ({ name }) => <span className="font-medium">{name}</span>,
              },
              { title: 'Ran', isNumber: true, cell: ({ seconds }) => duration(seconds) },
              { title: 'Billed', isNumber: true, cell: ({ billedSeconds }) => duration(billedSeconds) },
            ]}
          />
        </>
      )}
      <Limits />
    </Page>
  )
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

function save(usage: readonly Usage[], projects: ReadonlyMap<string, string>): void {
  const titles = ['day', 'project', 'projectId', 'shape', 'seconds', 'billedSeconds']
  const rows = usage.map(({ day, projectId, shapeName, seconds, billedSeconds }) => [
    ...[day, projects.get(projectId) ?? '', projectId, shapeName, seconds, billedSeconds],
  ])
  saveCsv('usage.csv', titles, rows)
}
