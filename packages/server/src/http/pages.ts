import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Settings } from '../settings.ts'
import { addAssets } from './assets.ts'
import { addGuide } from './guide.ts'

/** The output of scripts/build-pages.ts, which runs before the service starts. */
const built = join(import.meta.dirname, '../../../../apps/dashboard/dist')

/** A page that was built, and where it is served. */
interface WebPage {
  readonly file: string
  readonly paths: readonly string[]
  readonly policy: string
}

/** The pages of the dashboard. It finds out itself what to show at which of them. */
const dashboardPaths = [
  '/',
  '/sign-in',
  '/sandboxes/*',
  '/images',
  '/mcp-servers',
  '/keys',
  '/webhooks',
  '/webhooks/*',
  '/usage',
  '/audit',
  '/projects',
  '/playground',
  '/account',
  '/operator/*',
]

/** Serves the web pages for people. */
export async function addPages(app: FastifyInstance, settings: Settings, log: Logger): Promise<void> {
  const pages: readonly WebPage[] = [
    { file: 'index.html', paths: dashboardPaths, policy: dashboardPolicy },
    { file: 'docs.html', paths: ['/docs'], policy: docsPolicy },
    { file: 'view.html', paths: ['/view'], policy: viewPolicy(settings.SANDGLASS_EMBED_ORIGINS) },
  ]
  for (const page of pages) if (!(await addPage(app, page))) return warnOfMissing(log)
  // The file names contain a hash of the content, so the files can be cached for ever.
  addAssets(app, {
    root: join(built, 'assets'),
    prefix: '/assets/',
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
    setHeaders: reply => void reply.header('x-content-type-options', 'nosniff'),
  })
  if (!(await addGuide(app))) warnOfMissing(log)
}

async function addPage(app: FastifyInstance, { file, paths, policy }: WebPage): Promise<boolean> {
  const page = await readFile(join(built, file)).catch(() => undefined)
  if (!page) return false
  for (const path of paths)
    app.get(path, async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .headers({
          'cache-control': 'no-cache',
          'content-security-policy': policy,
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        })
        .send(page),
    )
  return true
}

function warnOfMissing(log: Logger): void {
  log.warn('the pages are not built, so they are not served; run npm start to build them')
}

/**
 * Nobody may embed the dashboard, and it runs only our own scripts. Libraries for terminals and dialogs add styles of their own.
 * Gateways of live views may have any address, so it may connect anywhere.
 */
const dashboardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self' https: ws: wss:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The page of the API sends requests to this service only, and shows pictures that it answers with. */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Gateways may have any address, so the page may connect anywhere, but it runs only our own scripts. It has no
 * cookies, and acts only with the token that it is given, so a foreign page that embeds it gains nothing.
 */
function viewPolicy(embedOrigins: readonly string[]): string {
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
