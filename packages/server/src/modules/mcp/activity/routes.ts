import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Pool } from '../../../db/database.ts'
import type { Api } from '../../../http/api.ts'
import { selectServer } from '../../mcp-servers/store.ts'
import { selectCalls, selectClients } from './store.ts'

export function serveMcpActivity(api: Api, { db, prepared }: Pool): void {
  api.serve(protocol.listMcpServerClients, async ({ params }) => selectClients(db, await serverOf(params)))

  api.serve(protocol.listMcpServerCalls, async ({ params }) => selectCalls(db, await serverOf(params)))

  async function serverOf(params: { readonly orgId: string; readonly mcpServerId: string }): Promise<string> {
    const server = await selectServer(prepared, params.mcpServerId)
    if (server?.org_id !== params.orgId) throw new ApiError('mcpServer.NOT_FOUND')
    return server.id
  }
}
