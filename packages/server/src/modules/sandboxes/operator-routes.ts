import * as protocol from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { listAllSandboxes } from '../../records/list-all-sandboxes.ts'

/** Serves what operators see of the sandboxes of all organizations. */
export function serveSandboxOperations(api: Api, db: Database): void {
  api.serve(protocol.listAllSandboxes, async ({ query, reply }) => {
    const { sandboxes, next } = await listAllSandboxes(db, query)
    if (next !== undefined) reply.header('x-next-cursor', next)
    return sandboxes
  })
}
