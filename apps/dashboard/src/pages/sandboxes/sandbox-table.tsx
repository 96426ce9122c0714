import type { Sandbox } from '@sandglass/protocol'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { SandboxViewProps } from './cards.tsx'
import { ControlBadge, Labels, StateBadge, stateOf, TimeLeft } from './state.tsx'
import { Tick } from './tick.tsx'
import { useVisibleRows } from './visible-rows.ts'

const rowHeight = 52
const cell = 'overflow-hidden px-3'
const extra = `hidden md:table-cell ${cell}`

/** Sandboxes below each other, with more in words. */
export function SandboxTable({ sandboxes, projects, selection }: SandboxViewProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const { rows, before, after } = useVisibleRows(body, sandboxes.length, rowHeight)
  return (
    <div className="rounded-lg border border-line bg-panel">
      <table
        aria-label="Sandboxes"
        aria-rowcount={sandboxes.length + 1}
        className="w-full table-fixed text-left"
      >
        <thead className="h-9 border-b border-line text-[13px] text-quiet">
          <tr>
            <th scope="col" className="w-10 px-3">
              <span className="sr-only">Select</span>
            </th>
            <th scope="col" className={cell}>
              Name
            </th>
            <th scope="col" className={`${cell} w-32 md:w-48`}>
              State
            </th>
            <th scope="col" className={`${cell} w-28 md:w-32`}>
              Time left
            </th>
            <th scope="col" className={extra}>
              Shape and project
            </th>
            <th scope="col" className={extra}>
              Labels
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {before > 0 && <tr style={{ height: before }} />}
          {rows.map(index => {
            const sandbox = sandboxes[index]
            if (!sandbox) return null
            const project = projects.get(sandbox.projectId)
            return <Row key={sandbox.id} index={index} {...{ sandbox, project, selection }} />
          })}
          {after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps extends Pick<SandboxViewProps, 'selection'> {
  readonly sandbox: Sandbox
  readonly index: number
  readonly project: string | undefined
}

function Row({ sandbox, index, project, selection }: RowProps) {
  const { why } = stateOf(sandbox)
  const isTicked = selection.has(sandbox.id)
  return (
    <tr
      aria-rowindex={index + 2}
      style={{ height: rowHeight }}
      className="border-b border-line last:border-0 hover:bg-accent-soft/40"
    >
      <td className="px-3">
        {!sandbox.ended && (
          <Tick name={sandbox.name} isTicked={isTicked} onTick={() => selection.toggle(sandbox.id)} />
        )}
      </td>
      <td className={cell}>
        <Link
          to="/sandboxes/$sandboxId"
          params={{ sandboxId: sandbox.id }}
          className="block truncate font-medium hover:underline"
        >
          {sandbox.name}
        </Link>
        {why && <span className="block truncate text-[13px] text-quiet">{why}</span>}
      </td>
      <td className={cell}>
        <div className="flex flex-wrap gap-1">
          <StateBadge sandbox={sandbox} />
          <ControlBadge sandbox={sandbox} />
        </div>
      </td>
      <td className={`${cell} text-[13px]`}>
        <TimeLeft sandbox={sandbox} />
      </td>
      <td className={`${extra} truncate`}>
        {sandbox.shapeName}
        {project && <span className="text-quiet"> · {project}</span>}
      </td>
      <td className={extra}>
        <div className="flex max-h-6 flex-wrap gap-1 overflow-hidden">
          <Labels labels={sandbox.labels} />
        </div>
      </td>
    </tr>
  )
}
