import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { type BrowserContext, chromium } from 'playwright-core'
import { startDesktop } from './desktop.ts'

const { box } = await startDesktop()
const origin = 'http://127.0.0.1:8000'

async function contextAt(url: string): Promise<BrowserContext> {
  const browser = await chromium.connectOverCDP(url, { timeout: patienceMs })
  const [context = assert.fail('there is no context')] = browser.contexts()
  context.setDefaultTimeout(patienceMs)
  return context
}

const extension = {
  'manifest.json': JSON.stringify({
    manifest_version: 3,
    name: 'Marker',
    version: '1',
    content_scripts: [{ matches: ['http://*/*'], js: ['mark.js'] }],
  }),
  'mark.js': 'document.documentElement.dataset.marked = "yes"',
}

/** A proxy that answers for every host. */
const proxy = `
import http.server
class Proxy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f'<title>proxied {self.path}</title>'.encode()
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(('127.0.0.1', 3128), Proxy).serve_forever()
`

test('a browser has the proxy, the language, the extensions and the storage that were asked for', async () => {
  for (const [name, text] of Object.entries(extension)) await box.files.write(`extension/${name}`, text)
  await box.files.write('proxy.py', proxy)
  await box.run('setsid python3 proxy.py >/dev/null 2>&1 &')
  await waitFor(async () => (await box.run('curl -s http://127.0.0.1:3128')).exitCode === 0)
  const cookie = { name: 'session', value: 'of-ada', domain: '127.0.0.1', path: '/', expires: -1 }
  const { wsUrl } = await box.browser.cdp({
    locale: 'de-DE',
    proxy: { server: 'http://127.0.0.1:3128' },
    extensions: ['/home/user/extension'],
    storageState: {
      cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: 'Lax' }],
      origins: [
        { origin, localStorage: [{ name: 'draft', value: '"quoted" </script> ü' }] },
        { origin: 'https://away.example', localStorage: [{ name: 'theme', value: 'dark' }] },
      ],
    },
  })
  const context = await contextAt(wsUrl)
  assert.equal(context.pages().length, 1, 'the page in which storage was written is closed')
  const page = await context.newPage()
  await page.goto('http://proxied.example/path')
  assert.equal(await page.title(), 'proxied http://proxied.example/path')
  await page.goto(origin)
  assert.equal(await page.evaluate('navigator.language'), 'de-DE')
  assert.equal(await page.evaluate('document.documentElement.dataset.marked'), 'yes')
  assert.equal(await page.evaluate(`localStorage.getItem('draft')`), '"quoted" </script> ü')
  const stored = await context.storageState()
  const [found] = stored.cookies.filter(({ name }) => name === 'session')
  assert.deepEqual([found?.value, found?.httpOnly, found?.domain], ['of-ada', true, '127.0.0.1'])
})

test('what Playwright saves as storageState is taken as it is', async () => {
  const context = await contextAt((await box.browser.cdp()).wsUrl)
  // A script saves the storage of origins that it has been to.
  await (await context.newPage()).goto(origin)
  const saved = await context.storageState()
  assert.ok(saved.origins.some(one => one.origin === origin))
  await context.clearCookies()
  await box.browser.close()
  const again = await contextAt((await box.browser.cdp({ storageState: saved })).wsUrl)
  assert.ok((await again.cookies(origin)).some(({ name }) => name === 'session'))
})

test('storage that the browser refuses is a client error', async () => {
  const secure = { name: '__Host-a', value: 'b', domain: '.example.org', path: '/x', secure: false }
  await assert.rejects(box.browser.cdp({ storageState: { cookies: [secure] } }), { code: 'browser.INVALID' })
})
