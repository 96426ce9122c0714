import { callRows } from './nodes/calls.ts'
import { liveRows } from './nodes/live.ts'
import { withNodes } from './nodes/setting.ts'
import type { Row } from './row.ts'

/** What it costs to reach a machine through a process that has not got it, beside its owner, by turns in one run. */
export default async function bench(): Promise<Row[]> {
  return withNodes(async nodes => {
    const sandbox = await nodes.owner.create()
    return [...(await callRows(nodes, sandbox)), ...(await liveRows(nodes, sandbox))]
  })
}
