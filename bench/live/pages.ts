import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build, type Rollup } from 'vite'

export type Rival = 'ours' | 'noVNC'

/** Both return the visible canvas, and nothing else differs. */
const entries: Readonly<Record<Rival, string>> = { ours: 'page-ours.ts', noVNC: 'page-novnc.js' }

const html = (script: string) =>
  `<!doctype html><meta charset="utf-8"><style>html, body { margin: 0; height: 100%; overflow: hidden }</style><body><script type="module" src="${script}"></script>`

/** Serves one page per rival. */
export async function servePages(): Promise<{ url: (rival: Rival) => string; close: () => void }> {
  const codes = { ours: await bundle('ours'), noVNC: await bundle('noVNC') }
  const server = createServer(({ url = '' }, response) => {
    const rival = url.includes('noVNC') ? 'noVNC' : 'ours'
    const isScript = url.endsWith('.js')
    response
      .setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      .end(isScript ? codes[rival] : html(`/${rival}.js`))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: rival => `http://127.0.0.1:${port}/${rival}`, close: () => void server.close() }
}

async function bundle(rival: Rival): Promise<string> {
  const entry = join(import.meta.dirname, entries[rival])
  const output = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, target: 'esnext', lib: { entry, formats: ['es'] } },
  })
  const [first] = [output].flat() as Rollup.RollupOutput[]
  if (!first) throw new Error('nothing was built')
  return first.output[0].code
}
