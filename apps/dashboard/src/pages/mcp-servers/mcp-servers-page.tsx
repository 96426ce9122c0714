import type { McpServer } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { useMay } from '../../app/rights.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Calls } from './calls.tsx'
import { Clients } from './clients.tsx'
import { Configuration } from './configuration.tsx'
import { McpServerForm } from './mcp-server-form.tsx'

/** Servers through which assistants use machines. */
export function McpServersPage() {
  const { data, error } = useQuery(useCall('listMcpServers'))
  const [isMaking, setMaking] = useState(false)
  const useDefault = useChange('getDefaultMcpServer', ['listMcpServers'])
  const mayChange = useMay('member')
  return (
    <Page
      title="MCP servers"
      about="An assistant that is connected to one drives a machine with its tools."
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setMaking(true)}>
            <Plus />
            New MCP server
          </Button>
        )
      }
    >
      {error && <ErrorNote error={error} />}
      {useDefault.error && <ErrorNote error={useDefault.error} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Empty title="No MCP servers yet.">
          {mayChange && <Button onClick={() => useDefault.mutate({})}>Make the default one</Button>}
        </Empty>
      )}
      {data?.map(server => (
        <Server key={server.id} server={server} mayChange={mayChange} />
      ))}
      {isMaking && <McpServerForm onClose={() => setMaking(false)} />}
    </Page>
  )
}

function Server({ server, mayChange }: { server: McpServer; mayChange: boolean }) {
  const [shown, setShown] = useState('connect')
  const [task, setTask] = useState<'edit' | 'delete'>()
  const remove = useChange('deleteMcpServer', ['listMcpServers'])
  const tabs = [
    { id: 'connect', title: 'Connect', content: () => <Configuration server={server} /> },
    { id: 'clients', title: 'Connected clients', content: () => <Clients mcpServerId={server.id} /> },
    { id: 'calls', title: 'Recent calls', content: () => <Calls mcpServerId={server.id} /> },
  ]
  return (
    <Panel aria-label={server.name} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="flex flex-wrap items-center gap-2 text-base font-semibold">
          {server.name}
          {server.defaultMcpServer && <Badge>default</Badge>}
          <Badge look={server.currentSandboxId ? 'good' : 'quiet'}>
            {server.currentSandboxId ? 'has a sandbox' : 'no sandbox'}
          </Badge>
        </h2>
        {mayChange && (
          <div className="flex gap-1">
            <Button size="small" onClick={() => setTask('edit')}>
              Change
            </Button>
            <Button size="small" look="danger" onClick={() => setTask('delete')}>
              Delete
            </Button>
          </div>
        )}
      </div>
      <Tabs label={server.name} tabs={tabs} shown={shown} onShow={setShown} />
      {task === 'edit' && <McpServerForm server={server} onClose={() => setTask(undefined)} />}
      <Confirm
        title={`Delete ${server.name}?`}
        about="The sandbox that it has created ends too, and assistants that are connected are refused."
        action="Delete"
        isOpen={task === 'delete'}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setTask(undefined)}
        onConfirm={() => remove.mutate({ mcpServerId: server.id })}
      />
    </Panel>
  )
}
