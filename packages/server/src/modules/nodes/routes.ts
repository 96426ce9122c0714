import * as protocol from '@sandglass/protocol'
import { ApiError, type ServiceNode } from '@sandglass/protocol'
import type { Database, Tx } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { removeNode } from '../../placement/remove.ts'
import { selectNodes, setDraining } from '../../records/nodes.ts'

export function serveNodes(api: Api, db: Database): void {
  api.serve(protocol.listNodes, () => selectNodes(db))

  api.serve(protocol.drainNode, ({ params, change }) =>
    change(async tx => ({ answer: await drain(tx, params.nodeId, true), target: params.nodeId })),
  )

  api.serve(protocol.undrainNode, ({ params, change }) =>
    change(async tx => ({ answer: await drain(tx, params.nodeId, false), target: params.nodeId })),
  )

  api.serve(protocol.removeNode, ({ params, change }) =>
    change(async tx => {
      await removeNode(tx, params.nodeId)
      return { answer: undefined, target: params.nodeId }
    }),
  )
}

async function drain(tx: Tx, id: string, isDraining: boolean): Promise<ServiceNode> {
  const isKnown = await setDraining(tx, id, isDraining)
  const [node] = isKnown ? await selectNodes(tx, id) : []
  if (!node) throw new ApiError('node.NOT_FOUND')
  return node
}
