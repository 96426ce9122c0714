import { createServer, type Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { listenError } from '../listening.ts'
import type { Settings } from '../settings.ts'
import type { Metrics } from './metrics.ts'

/** On the main port, metrics require the operator's key. */
export function addMetricsRoute(app: FastifyInstance, metrics: Metrics, settings: Settings): void {
  if (settings.SANDGLASS_METRICS_PORT !== undefined) return
  app.get('/metrics', { config: { access: { to: 'operator' } } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  )
}

/** On a separate port, metrics require no credential. */
export async function listenForMetrics(metrics: Metrics, settings: Settings): Promise<Server | undefined> {
  const port = settings.SANDGLASS_METRICS_PORT
  if (port === undefined) return undefined
  const server = createServer(async (request, response) => {
    if (request.url === '/metrics')
      response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.text())
    else response.writeHead(404).end()
  })
  const host = settings.SANDGLASS_HOST
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  }).catch(cause => {
    throw listenError(cause, { host, port, setting: 'SANDGLASS_METRICS_PORT' })
  })
  return server
}
