import { listNodes } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { selectNodes } from './store.ts'

export function serveNodes(api: Api, db: Database): void {
  api.serve(listNodes, () => selectNodes(db))
}
