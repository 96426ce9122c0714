import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Connect } from '@sandglass/protocol'
import type { BrowserContext, Page } from 'playwright-core'
import { build, type Rollup } from 'vite'
import type { connectLive, LiveView } from '../../../packages/live/src/index.ts'
import { cleanup } from '../../../packages/server/src/testing/cleanup.ts'

/** What the page of this file exposes to tests. */
declare global {
  interface Window {
    connectLive: typeof connectLive
    view: LiveView
  }
}

const html = `<!doctype html><meta charset="utf-8"><title>Plain</title><style>
  html, body, #place { margin: 0; height: 100%; background: #123 }
</style><div id="place"></div><script type="module">
  import { connectLive } from '/live.js'
  window.connectLive = connectLive
</script>`

/** The client on a third-party page, without React and not served by the service that it connects to. */
export async function servePlainPage(): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, '../../../packages/live/src/index.ts'), formats: ['es'] },
    },
  })
  const code = codeOf(output)
  assert.ok(!/from ['"]/.test(code), 'the client has no imports')
  const server = createServer(({ url }, response) => {
    const isScript = url === '/live.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html').end(isScript ? code : html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => void server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address)
  return `http://127.0.0.1:${address.port}/`
}

function codeOf(output: Awaited<ReturnType<typeof build>>): string {
  const [first] = [output].flat() as Rollup.RollupOutput[]
  const chunk = first?.output[0]
  assert.ok(chunk)
  return chunk.code
}

/** Opens the page and connects; `window.view` is the view. */
export async function openPlain(
  browser: BrowserContext,
  url: string,
  connectDetails: Connect,
  { name = '', video = true }: { name?: string; video?: boolean } = {},
): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(url)
  await page.waitForFunction(() => window.connectLive !== undefined)
  await page.evaluate(
    ({ connectDetails, name, video }) => {
      const element = document.getElementById('place')
      if (element) window.view = window.connectLive({ element, connectDetails, name, video })
    },
    { connectDetails, name, video },
  )
  return page
}

/** The colour of a pixel of the picture, as red, green and blue. */
export function pixelOf(page: Page, x: number, y: number): Promise<number[]> {
  return page.evaluate(
    ([x, y]) =>
      [...(document.querySelector('canvas')?.getContext('2d')?.getImageData(x, y, 1, 1).data ?? [])].slice(
        0,
        3,
      ),
    [x, y] as const,
  )
}
