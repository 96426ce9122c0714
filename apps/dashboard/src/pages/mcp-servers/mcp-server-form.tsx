import type { McpServer, McpTools } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Checks } from '../../ui/checks.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { Input, Select } from '../../ui/input.tsx'
import { problemsOf } from '../../ui/problems.ts'

const toolNames: readonly (keyof McpTools)[] = [
  'computer-use',
  'mobile-use',
  'shell',
  'files',
  'open-url',
  'user-takeover',
]

const policies = [
  ['sandboxAutoCreation', 'Keep a sandbox ready, also before a tool needs it'],
  ['sandboxExposeRecreateTool', 'The assistant may begin anew with another sandbox'],
  ['sandboxExposeRestartTool', 'The assistant may restart the sandbox'],
  ['sandboxExposeDeleteTool', 'The assistant may delete the sandbox'],
] as const

/** Makes an MCP server, or changes one. */
export function McpServerForm({ server, onClose }: { server?: McpServer; onClose: () => void }) {
  const shapes = useQuery(useCall('listShapes'))
  const [name, setName] = useState(server?.name ?? '')
  const [shape, setShape] = useState(server?.policy.sandboxShape ?? '')
  const [lifeMinutes, setLife] = useState(String((server?.policy.sandboxMaxLifetimeSeconds ?? 3600) / 60))
  const [idleMinutes, setIdle] = useState(String((server?.policy.sandboxMaxIdleTimeSeconds ?? 3600) / 60))
  const [tools, setTools] = useState<readonly string[]>(toolNames.filter(tool => server?.tools[tool] ?? true))
  const [allowed, setAllowed] = useState<readonly string[]>(
    policies.map(([id]) => id).filter(id => server?.policy[id] ?? false),
  )
  const create = useChange('createMcpServer', ['listMcpServers'])
  const update = useChange('updateMcpServer', ['listMcpServers'])
  const change = server ? update : create
  const problems = problemsOf(change.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      name,
      sandboxShape: shape || (shapes.data?.[0]?.name ?? ''),
      sandboxMaxLifetimeSeconds: Math.round(Number(lifeMinutes) * 60),
      sandboxMaxIdleTimeSeconds: Math.round(Number(idleMinutes) * 60),
      tools: Object.fromEntries(toolNames.map(tool => [tool, tools.includes(tool)])),
      ...Object.fromEntries(policies.map(([id]) => [id, allowed.includes(id)])),
    }
    if (server) update.mutate({ mcpServerId: server.id, body }, { onSuccess: onClose })
    else create.mutate({ body }, { onSuccess: onClose })
  }
  return (
    <Dialog title={server ? `Change ${server.name}` : 'New MCP server'} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" problem={problems['name']}>
          <Input value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field label="Shape of its sandbox" problem={problems['sandboxShape']}>
          <Select value={shape} onChange={event => setShape(event.target.value)}>
            {(shapes.data ?? []).map(each => (
              <option key={each.name}>{each.name}</option>
            ))}
          </Select>
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Lifetime in minutes" problem={problems['sandboxMaxLifetimeSeconds']}>
            <Input
              type="number"
              min={0}
              step="any"
              value={lifeMinutes}
              onChange={event => setLife(event.target.value)}
            />
          </Field>
          <Field label="Idle time in minutes" problem={problems['sandboxMaxIdleTimeSeconds']}>
            <Input
              type="number"
              min={0}
              step="any"
              value={idleMinutes}
              onChange={event => setIdle(event.target.value)}
            />
          </Field>
        </div>
        <Checks title="Tools" all={toolNames.map(tool => [tool, tool])} chosen={tools} onChange={setTools} />
        <Checks title="Sandbox" all={policies} chosen={allowed} onChange={setAllowed} />
        <FormEnd action={server ? 'Save' : 'Create'} change={change} onClose={onClose} />
      </form>
    </Dialog>
  )
}
