import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import type { Degraded, ReadinessChecks } from './readiness.ts'

const retrySeconds = 5

/**
 * /healthz: the process answers. /readyz: it can also do its work, or else which of its checks failed, and why. A service
 * whose engine is down is ready, since it serves everything else, and names that engine in `degraded`.
 */
export function addHealth(app: FastifyInstance, checks: ReadinessChecks, degraded: Degraded): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    const names = Object.keys(checks)
    const problems = await Promise.all(names.map(name => checks[name]?.()))
    const failed = names.flatMap((name, i) => {
      const reason = problems[i]
      return reason === undefined ? [] : [{ check: name, reason }]
    })
    if (failed.length === 0) {
      const engines = await degraded()
      return { status: 'ready', ...(engines.length > 0 && { degraded: engines }) }
    }
    throw new ApiError('service.UNAVAILABLE', {
      message: failed.map(({ reason }) => reason).join(' '),
      fields: { failed },
      retryAfter: retrySeconds,
    })
  })
}
