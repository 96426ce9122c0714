import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Settings } from '../settings.ts'

/** What scripts/build-pages.ts makes before the service is started. */
const built = join(import.meta.dirname, '../../../../apps/dashboard/dist')

/** The pages for people. */
export async function addPages(app: FastifyInstance, settings: Settings, log: Logger): Promise<void> {
  const view = await readFile(join(built, 'view.html')).catch(() => undefined)
  if (!view) {
    log.warn('the pages are not built, so /view is not served; run npm start to build them')
    return
  }
  app.get('/view', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({
        'cache-control': 'no-cache',
        'content-security-policy': policy(settings.SANDGLASS_EMBED_ORIGINS),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      .send(view),
  )
  // Their names hold the hash of what is in them.
  app.register(fastifyStatic, {
    root: join(built, 'assets'),
    prefix: '/assets/',
    index: false,
    decorateReply: false,
    immutable: true,
    maxAge: '1y',
    setHeaders: reply => void reply.header('x-content-type-options', 'nosniff'),
  })
}

/**
 * Gateways may be anywhere, so that the page may connect anywhere, but runs nothing that is not ours. It acts by what it is
 * given and has no cookie, so that a stranger's page around it gains nothing by it.
 */
function policy(embedOrigins: readonly string[]): string {
  const ancestors = embedOrigins.includes('*') ? '*' : ["'self'", ...embedOrigins].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    "connect-src 'self' https: ws: wss:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ')
}
