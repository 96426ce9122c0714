import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import { addAssets } from './assets.ts'

/** What scripts/guide has made of the pages of docs/. */
const built = join(import.meta.dirname, '../../../../apps/dashboard/dist-guide')

/** Serves the guide at /docs/guide, for everybody. Returns whether it is there. */
export async function addGuide(app: FastifyInstance): Promise<boolean> {
  const names = await pageNames().catch(() => undefined)
  if (!names) return false
  const page = async (name: string) => {
    // Only names that were found are read, so no path leads out of the folder.
    if (!names.has(name)) throw new ApiError('route.NOT_FOUND', { message: `The guide has no page ${name}.` })
    return readFile(join(built, 'pages', `${name}.html`))
  }
  const headers = {
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  app.get('/docs/guide', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers(headers)
      .send(await page('index')),
  )
  app.get<{ Params: { '*': string } }>('/docs/guide/*', async (request, reply) => {
    const name = request.params['*'].replace(/\/$/, '') || 'index'
    return reply
      .type('text/html; charset=utf-8')
      .headers(headers)
      .send(await page(name))
  })
  addAssets(app, {
    root: join(built, 'assets'),
    prefix: '/docs/guide/assets/',
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
    setHeaders: reply => void reply.header('x-content-type-options', 'nosniff'),
  })
  return true
}

async function pageNames(): Promise<ReadonlySet<string>> {
  const files = await readdir(join(built, 'pages'), { recursive: true })
  return new Set(files.filter(file => file.endsWith('.html')).map(file => file.slice(0, -'.html'.length)))
}

/** The pages have a script of ours for the search, and nothing else acts. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
