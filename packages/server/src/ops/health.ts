import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import type { Degraded, ReadinessChecks } from './readiness.ts'

const retrySeconds = 5

/**
 * Serves /healthz, which shows that the process responds, and /readyz, which shows that it can do its work, or which
 * checks failed and why. A service with an engine that is down is ready, because it serves everything else. It lists
 * that engine in `degraded`, and what the host is short of.
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
      const degradations = await degraded()
      return { status: 'ready', ...(degradations.length > 0 && { degraded: degradations }) }
    }
    throw new ApiError('service.UNAVAILABLE', {
      message: failed.map(({ reason }) => reason).join(' '),
      fields: { failed },
      retryAfter: retrySeconds,
    })
  })
}
