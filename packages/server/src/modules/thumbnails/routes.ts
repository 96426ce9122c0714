import * as protocol from '@sandglass/protocol'
import fresh from 'fresh'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import type { Thumbnails } from './thumbnails.ts'

export function serveThumbnails(router: SandboxRouter, thumbnails: Thumbnails): void {
  router.serveUnnoticed(protocol.getSandboxThumbnail, async ({ query, request, reply }, sandbox) => {
    const { tag, body } = await thumbnails.of(sandbox, query.width)
    const etag = `"${tag}"`
    reply.headers({ etag, 'cache-control': 'private, no-cache' })
    // Ignore Cache-Control, because it is meant for caches and fetch() sends no-cache with every conditional request.
    if (fresh({ ...request.headers, 'cache-control': undefined }, { etag })) return reply.code(304).send()
    return reply.headers({ 'content-type': 'image/webp', 'x-content-type-options': 'nosniff' }).send(body)
  })
}
