import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LayoutGrid, Plus, Rows3 } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../app/calls.ts'
import { useMay } from '../../app/rights.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Cards } from './cards.tsx'
import { DeleteSelected } from './delete-selected.tsx'
import { noFilter, passes, sorted } from './filter.ts'
import { Filters } from './filters.tsx'
import { useLayout } from './layout.ts'
import { Needed } from './needed.tsx'
import { useProjectNames } from './project-names.ts'
import { SandboxTable } from './sandbox-table.tsx'
import { useSelection } from './selection.ts'

/** All sandboxes of the organization, with what is on their screens. */
export function SandboxesPage() {
  const [filter, setFilter] = useState(noFilter)
  const [layout, setLayout] = useLayout()
  const mayCreate = useMay('member')
  const ended = filter.status === 'ENDED' ? ({ ended: 'true' } as const) : {}
  const { data, error } = useQuery({ ...useCall('listSandboxes', ended), refetchInterval: 30_000 })
  const projects = useProjectNames()
  const selection = useSelection(data ?? [])
  const shown = sorted(
    (data ?? []).filter(sandbox => passes(sandbox, filter)),
    filter.order,
  )
  const View = layout === 'cards' ? Cards : SandboxTable
  return (
    <Page
      title="Sandboxes"
      actions={
        <>
          <DeleteSelected selection={selection} />
          <IconButton
            label={layout === 'cards' ? 'Show as a table' : 'Show as cards'}
            onClick={() => setLayout(layout === 'cards' ? 'table' : 'cards')}
          >
            {layout === 'cards' ? <Rows3 /> : <LayoutGrid />}
          </IconButton>
          {mayCreate && (
            <Button asChild look="primary">
              <Link to="/sandboxes/new">
                <Plus />
                New sandbox
              </Link>
            </Button>
          )}
        </>
      }
    >
      <Needed sandboxes={data ?? []} />
      <Filters
        filter={filter}
        onChange={setFilter}
        shown={shown.length}
        all={data?.length ?? 0}
        projects={projects}
      />
      {error ? (
        <ErrorNote error={error} />
      ) : !data ? (
        <Loading />
      ) : data.length === 0 && filter.status === '' ? (
        <Empty title="No sandboxes yet.">
          A sandbox is a machine with a screen. Create one here, with the command line (
          <code>sandglass sandbox create</code>), or let an agent do it.
        </Empty>
      ) : shown.length === 0 ? (
        <Empty title="No sandbox matches.">
          <Button onClick={() => setFilter(noFilter)}>Show all</Button>
        </Empty>
      ) : (
        <View sandboxes={shown} projects={projects} selection={selection} />
      )}
    </Page>
  )
}
