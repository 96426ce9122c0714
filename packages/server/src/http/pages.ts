import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Settings } from '../settings.ts'
import { addAssets } from './assets.ts'

/** The output of scripts/build-pages.ts, which runs before the service starts. */
const built = join(import.meta.dirname, '../../../../apps/dashboard/dist')

/** Serves the web pages for people. */
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
  // The file names contain a hash of the content, so the files can be cached for ever.
  addAssets(app, {
    root: join(built, 'assets'),
    prefix: '/assets/',
    immutable: true,
    maxAge: '1y',
    setHeaders: reply => void reply.header('x-content-type-options', 'nosniff'),
  })
}

/**
 * Gateways may have any address, so the page may connect anywhere, but it runs only our own scripts. It has no
 * cookies, and acts only with the token that it is given, so a foreign page that embeds it gains nothing.
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
