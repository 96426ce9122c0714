import * as protocol from '@sandglass/protocol'
import type { Api } from '../../http/api.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import {
  createServer,
  deleteServer,
  ensureDefaultServer,
  setServerToSandbox,
  updateServer,
} from './service.ts'
import { selectDefaultServer, selectServers, serverOf } from './store.ts'

export function serveMcpServers(api: Api, { db, shapes, keeper }: SandboxParts): void {
  api.serve(protocol.listMcpServers, async ({ params }) =>
    (await selectServers(db, params.orgId)).map(serverOf),
  )

  api.serve(protocol.createMcpServer, ({ member, body, change }) =>
    change(async tx => {
      const server = await createServer(tx, member, shapes, body)
      return { answer: serverOf(server), target: server.id }
    }),
  )

  api.serve(protocol.getDefaultMcpServer, async ({ member, params, change }) => {
    const known = await selectDefaultServer(db, params.orgId)
    if (known) return serverOf(known)
    return change(async tx => {
      const server = await ensureDefaultServer(tx, member, shapes)
      return { answer: serverOf(server), target: server.id }
    })
  })

  api.serve(protocol.updateMcpServer, ({ member, params, body, change }) =>
    change(async tx => {
      const server = await updateServer(tx, member, shapes, params.mcpServerId, body)
      return { answer: serverOf(server), target: server.id }
    }),
  )

  api.serve(protocol.deleteMcpServer, async ({ member, params, change }) => {
    await change(async tx => {
      await deleteServer(tx, member, params.mcpServerId)
      return { answer: undefined, target: params.mcpServerId }
    })
    keeper.destroyDoomedSoon()
  })

  api.serve(protocol.setMcpServerToSandbox, ({ member, params, body, change }) =>
    change(async tx => {
      await setServerToSandbox(tx, member, params.mcpServerId, body.sandboxId)
      return { answer: undefined, target: params.mcpServerId }
    }),
  )
}
