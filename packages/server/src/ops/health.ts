import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** /healthz: the process answers. /readyz: it can also do its work, and is not about to stop. */
export function addHealth(
  app: FastifyInstance,
  db: Database,
  {
    isDraining,
    diskProblem,
  }: { readonly isDraining: () => boolean; readonly diskProblem: () => string | undefined },
): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    if (isDraining())
      throw new ApiError('service.UNAVAILABLE', { message: 'The service is stopping.', retryAfter: 5 })
    const message = diskProblem()
    if (message !== undefined) throw new ApiError('service.UNAVAILABLE', { message, retryAfter: 10 })
    await sql`SELECT 1`.execute(db)
    return { status: 'ready' }
  })
}
