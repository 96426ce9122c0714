import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

/** Serves the files of a folder to a browser until the tests of the file have run, and returns the origin. */
export async function serveFolder(folder: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = await readFile(join(folder, pathname)).catch(() => undefined)
    response
      .writeHead(file ? 200 : 404, { 'content-type': types[extname(pathname)] ?? 'text/plain' })
      .end(file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
