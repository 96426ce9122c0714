import { ListQuery, labelsIn, listedView, type SandboxState, stateOf } from '@sandglass/doors/e2b'
import { listSandboxes, listShapes, type Sandbox } from '@sandglass/protocol'
import { parseInput } from '../../../http/input.ts'
import type { ControlCall } from './control-call.ts'
import { sizeOf } from './find.ts'

/** How many of our own pages are read for one page of a client, which also filters by what our list cannot. */
const maxPages = 20

/** Lists sandboxes page by page. The token of the next page is our own cursor. */
export async function list(call: ControlCall) {
  const query = parseInput(ListQuery, call.request.query, 'query')
  const states: readonly SandboxState[] = query.state ?? ['running', 'paused']
  const sizes = await sizesOf(call)
  const found: ReturnType<typeof listedView>[] = []
  let cursor = query.nextToken
  for (let page = 0; page < maxPages && found.length < query.limit; page++) {
    const sandboxes = await call.native(listSandboxes, {
      params: { orgId: call.orgId },
      query: {
        label: labelsIn(query),
        sort: query.order === 'asc' ? 'createdAt' : '-createdAt',
        limit: query.limit - found.length,
        ...(cursor !== undefined && { cursor }),
      },
    })
    for (const sandbox of sandboxes) {
      const state = stateOf(sandbox)
      if (state && states.includes(state) && isStartedAfter(sandbox, query.startedAfter))
        found.push(listedView(sandbox, state, sizes.get(sandbox.shapeName) ?? sizeOf({})))
    }
    cursor = takeCursor(call)
    if (cursor === undefined) break
  }
  if (cursor !== undefined) call.reply.header('x-next-token', cursor)
  return found
}

async function sizesOf(call: ControlCall) {
  const shapes = await call.native(listShapes, { params: { orgId: call.orgId } })
  return new Map(shapes.map(shape => [shape.name, sizeOf(shape)]))
}

function isStartedAfter({ createdAt }: Sandbox, time: string | undefined): boolean {
  return time === undefined || Date.parse(createdAt) > Date.parse(time)
}

/** Our own list sets the cursor as a header of the response, which is not for this client. */
function takeCursor({ reply }: ControlCall): string | undefined {
  const cursor = reply.getHeader('x-next-cursor')
  reply.removeHeader('x-next-cursor')
  reply.removeHeader('x-total-count')
  return typeof cursor === 'string' ? cursor : undefined
}
