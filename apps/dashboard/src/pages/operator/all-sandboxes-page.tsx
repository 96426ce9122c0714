import type { SandboxStatus } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall } from '../../app/calls.ts'
import { Input, Select } from '../../ui/input.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { ControlBadge, StateBadge, TimeLeft } from '../sandboxes/state.tsx'
import { useOrganizationNames } from './organization-names.ts'

const longest = 1000

/** The sandboxes of everybody. What is in them is for their organizations. */
export function AllSandboxesPage() {
  const [orgId, setOrgId] = useState('')
  const [status, setStatus] = useState<'' | SandboxStatus>('')
  const [text, setText] = useState('')
  const query = { limit: longest, ...(orgId && { orgId }), ...(status && { status }) }
  const { data, error } = useQuery({ ...useCall('listAllSandboxes', query), refetchInterval: 3000 })
  const organizations = useOrganizationNames()
  const shown = (data ?? []).filter(({ name, id }) =>
    `${name}\n${id}`.toLowerCase().includes(text.toLowerCase()),
  )
  return (
    <Page title="Sandboxes" about={data?.length === longest ? `The last ${longest}` : undefined}>
      <search className="flex flex-wrap gap-2">
        <Input
          type="search"
          aria-label="Search by name or id"
          placeholder="Name or id"
          className="min-w-40 flex-1"
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <Select
          aria-label="Organization"
          className="w-auto"
          value={orgId}
          onChange={event => setOrgId(event.target.value)}
        >
          <option value="">All organizations</option>
          {[...organizations].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <Select
          aria-label="State"
          className="w-auto"
          value={status}
          onChange={event => setStatus(event.target.value as typeof status)}
        >
          <option value="">Any state</option>
          <option value="RUNNING">Running</option>
          <option value="PENDING">Starting</option>
          <option value="STOPPED">Stopped</option>
          <option value="ERROR">Failed</option>
        </Select>
      </search>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && shown.length === 0 && <Empty title="No sandbox matches." />}
      {shown.length > 0 && (
        <Table
          label="Sandboxes"
          rows={shown}
          idOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ name, id }) => <span title={id}>{name}</span> },
            { title: 'Organization', cell: sandbox => organizations.get(sandbox.orgId) ?? sandbox.orgId },
            {
              title: 'State',
              cell: sandbox => (
                <span className="flex flex-wrap gap-1">
                  <StateBadge sandbox={sandbox} />
                  <ControlBadge sandbox={sandbox} />
                </span>
              ),
            },
            { title: 'Shape', isExtra: true, cell: ({ shapeName }) => shapeName },
            { title: 'Node', isExtra: true, cell: ({ nodeId }) => nodeId?.slice(0, 8) },
            { title: 'Created', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
            { title: 'Time left', cell: sandbox => <TimeLeft sandbox={sandbox} /> },
          ]}
        />
      )}
    </Page>
  )
}
