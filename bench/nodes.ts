import { callRows } from './nodes/calls.ts'
import { liveRows } from './nodes/live.ts'
import { withNodes } from './nodes/setting.ts'
import type { Row } from './row.ts'

/** Measures the cost of reaching a machine through another process, compared with its owner, alternating within one run. */
export default async function bench(): Promise<Row[]> {
  return withNodes(async nodes => {
    const sandbox = await nodes.owner.create()
    return [...(await callRows(nodes, sandbox)), ...(await liveRows(nodes, sandbox))]
  })
}
