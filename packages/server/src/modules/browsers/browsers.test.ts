import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { z } from 'zod'
import { commandLines, runIn, runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { BrowserClient } from './testing/browser-client.ts'
import { installFakeBrowser, startsOf } from './testing/fake-browser.ts'

const { service } = await startMachineService({ hasPhone: true })
const sandbox = await runningSandbox(service, { maxLifeSeconds: 3600 })
const cdp = `${sandbox}/browser/cdp`

const Version = z.object({ headers: z.record(z.string(), z.string()), webSocketDebuggerUrl: z.string() })

interface Urls {
  readonly wsUrl: string
  readonly httpUrl: string
  readonly expiresAt: string
}

async function connect(path = cdp, key?: string): Promise<Urls> {
  const { status, body, text, headers } = await service.get(path, key === undefined ? {} : { key })
  assert.equal(status, 200, text)
  assert.equal(headers.get('cache-control'), 'no-store')
  return body
}

async function refusal(url: string): Promise<(string | number)[]> {
  const answer = await BrowserClient.ask(url)
  return answer instanceof BrowserClient ? assert.fail('it was opened') : [answer.status, answer.code]
}

async function echo(client: BrowserClient, text: string, from = 'browser'): Promise<void> {
  client.send(text)
  await waitFor(async () => client.texts.includes(`${from} ${text}`))
}

test('a machine without a browser, and a phone, are client errors that say so', async () => {
  const phone = await runningSandbox(service, { shapeName: 'phone' })
  for (const path of [sandbox, phone]) {
    const { status, body } = await service.get(`${path}/browser/cdp`)
    assert.deepEqual([status, body.code], [409, 'browser.UNAVAILABLE'])
    assert.match(body.message, /no browser that programs can drive/)
  }
  await service.remove(phone)
  await installFakeBrowser(service, sandbox)
})

test('many calls at once start the browser once', async () => {
  const all = await Promise.all([...Array(8).keys()].map(() => connect()))
  assert.equal(new Set(all.map(({ wsUrl }) => wsUrl)).size, 8)
  assert.equal((await startsOf(service, sandbox)).length, 1)
})

test('the HTTP side is rewritten to the public address, and its browser sees its own', async () => {
  const { wsUrl, httpUrl } = await connect()
  assert.equal(wsUrl, httpUrl.replace('http', 'ws'))
  assert.ok(httpUrl.startsWith(`${service.service.url}/cdp/sgb_`))
  for (const path of ['/json/version', '/json/version/']) {
    const response = await fetch(httpUrl + path, {
      headers: { cookie: 'a=b', origin: 'https://page.example' },
    })
    const { headers, webSocketDebuggerUrl: url } = Version.parse(await response.json())
    assert.deepEqual(Object.keys(headers).sort(), ['connection', 'host'])
    assert.ok(url.startsWith(`${wsUrl}/devtools/browser/`), url)
    assert.equal(response.headers.get('set-cookie'), null)
  }
  const page = `${wsUrl}/devtools/page/ABC`
  const frontend = `devtools://devtools/bundled/inspector.html?ws=${page.slice('ws://'.length)}`
  for (const path of ['/json', '/json/', '/json/list']) {
    const [target] = (await (await fetch(httpUrl + path)).json()) as Record<string, string>[]
    assert.deepEqual([target?.['webSocketDebuggerUrl'], target?.['devtoolsFrontendUrl']], [page, frontend])
    assert.match(target?.['title'] ?? '', /^ws:\/\/127\.0\.0\.1:\d+\//, 'the title of a page is left alone')
  }
  const made = await fetch(`${httpUrl}/json/new?https://example.org/?a=b`, { method: 'PUT' })
  const { asked, webSocketDebuggerUrl } = (await made.json()) as Record<string, string>
  assert.deepEqual([asked, webSocketDebuggerUrl], ['/json/new?https://example.org/?a=b', page])
})

test('nothing that comes out of the machine is served as a page of the service', async () => {
  const { httpUrl } = await connect()
  const kinds = {
    '/json/protocol': 'application/json',
    '/json/close/ABC': 'text/plain',
    '/json/close/X': 'text/plain',
  }
  for (const [path, kind] of Object.entries(kinds)) {
    const { headers } = await fetch(httpUrl + path)
    assert.deepEqual(
      [headers.get('content-type'), headers.get('x-content-type-options'), headers.get('set-cookie')],
      [`${kind}; charset=utf-8`, 'nosniff', null],
      path,
    )
  }
  for (const path of ['/devtools/inspector.html', '/json/evil', '/json/close/a%2fb', '/json/%2e%2e/x', '/x'])
    assert.equal((await fetch(httpUrl + path)).status, 404, path)
})

test('several clients at once use the browser and its pages, whatever Origin and cookies they have', async () => {
  const { wsUrl } = await connect()
  const headers = { origin: 'https://page.example', cookie: 'a=b' }
  const [one, other, page] = await Promise.all([
    BrowserClient.open(wsUrl, { headers }),
    BrowserClient.open(wsUrl),
    BrowserClient.open(`${wsUrl}/devtools/page/ABC`),
  ])
  await Promise.all([echo(one, 'one'), echo(other, 'other'), echo(page, 'third', 'page')])
  assert.deepEqual([one.texts, other.texts], [['browser one'], ['browser other']])
  assert.deepEqual(await refusal(`${wsUrl}/devtools/page/absent`), [404, 'browser.NOT_FOUND'])
  assert.deepEqual(await refusal(`${wsUrl}/devtools/page/a%2f..`), [404, 'browser.NOT_FOUND'])
  for (const client of [one, other, page]) client.webSocket.close()
  await waitFor(async () => (await service.metric('sandglass_tunnels_open')) === 0)
})

test('a browser that died is started again by the next call, and by the URL that there is', async () => {
  const { wsUrl } = await connect()
  const client = await BrowserClient.open(wsUrl)
  const end = 'kill -KILL "$(readlink ~/.config/sandglass-browser/profile/SingletonLock | grep -o "[0-9]*$")"'
  await runIn(service, sandbox, { executable: 'bash', args: ['-c', end] })
  await client.closed
  await echo(await BrowserClient.open(wsUrl), 'again')
  assert.equal((await startsOf(service, sandbox)).length, 2)
})

test('a URL that is wrong, or of another installation, is a 401', async () => {
  const { wsUrl } = await connect()
  const { status, body } = await service.get('/cdp/sgb_x/json/version', { key: null })
  assert.deepEqual([status, body.code], [401, 'browser.UNAUTHORIZED'])
  for (const url of [
    `${wsUrl}x`,
    wsUrl.slice(0, -8),
    wsUrl.replace('sgb_', ''),
    `${service.service.url.replace('http', 'ws')}/cdp/x`,
  ])
    assert.deepEqual(await refusal(url), [401, 'browser.UNAUTHORIZED'])
  const plain = await fetch(wsUrl.replace('ws', 'http'))
  assert.equal(plain.status, 426)
})

test('a URL expires, and takes along what it has opened', async () => {
  const { wsUrl, expiresAt } = await connect(`${cdp}?lifetimeSeconds=10`)
  assert.ok(Date.parse(expiresAt) <= Date.now() + 11_000)
  const client = await BrowserClient.ask(wsUrl)
  if (client instanceof BrowserClient) await client.closed
  await waitFor(async () => (await fetch(wsUrl.replace('ws', 'http'))).status === 401)
})

test('a URL ends with the key that it was given to, at once and for good', async () => {
  const { body } = await service.post('~/api-keys', { name: 'short', role: 'member' })
  const [{ wsUrl }, kept] = await Promise.all([connect(cdp, body.apiKey), connect()])
  const [client, other] = await Promise.all([BrowserClient.open(wsUrl), BrowserClient.open(kept.wsUrl)])
  await echo(client, 'x')
  await service.remove(`~/api-keys/${body.id}`)
  await client.closed
  assert.deepEqual(await refusal(wsUrl), [401, 'browser.UNAUTHORIZED'])
  await echo(other, 'still')
  other.webSocket.close()
})

test('a key whose role became too low does not keep its URLs', async () => {
  const { body } = await service.post('~/api-keys', { name: 'lowered', role: 'member' })
  const { wsUrl } = await connect(cdp, body.apiKey)
  const client = await BrowserClient.open(wsUrl)
  assert.equal(
    (await service.call('PATCH', `~/api-keys/${body.id}`, { body: { role: 'viewer' } })).status,
    200,
  )
  await client.closed
  assert.deepEqual(await refusal(wsUrl), [401, 'browser.UNAUTHORIZED'])
  assert.equal((await service.get(cdp, { key: body.apiKey })).status, 403)
})

test('closing the browser ends it, and revokes its URLs', async () => {
  const { wsUrl, httpUrl } = await connect()
  const client = await BrowserClient.open(wsUrl)
  assert.equal((await service.delete(cdp)).status, 200)
  await client.closed
  assert.doesNotMatch(await commandLines(service, sandbox), /remote-debugging-port/)
  assert.deepEqual(await refusal(wsUrl), [401, 'browser.UNAUTHORIZED'])
  assert.equal((await fetch(`${httpUrl}/json/version`)).status, 401)
  assert.equal((await service.delete(cdp)).status, 200, 'again, when nothing runs')
  await echo(await BrowserClient.open((await connect()).wsUrl), 'new')
})

test('options are passed to the browser, which is not restarted for others', async () => {
  await service.remove(cdp)
  await runIn(service, sandbox, { executable: 'sh', args: ['-c', 'mkdir ext; echo {} > ext/manifest.json'] })
  const options = {
    locale: 'de-DE',
    proxy: { server: 'socks5://127.0.0.1:1080', bypass: ['*.example.org', '10.0.0.0/8'] },
    extensions: ['/home/user/ext'],
  }
  const answers = [await service.post(cdp, options), await service.post(cdp, options), await service.get(cdp)]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  const started = (await startsOf(service, sandbox)).at(-1) ?? ''
  for (const flag of [
    '--lang=de-DE',
    '--accept-lang=de-DE',
    '--proxy-server=socks5://127.0.0.1:1080',
    '--proxy-bypass-list=*.example.org;10.0.0.0/8',
    '--load-extension=/home/user/ext',
  ])
    assert.ok(started.split(' ').includes(flag), `${flag} in ${started}`)
  const other = await service.post(cdp, { locale: 'fr-FR' })
  assert.deepEqual([other.status, other.body.code], [409, 'browser.RUNNING'])
  await service.remove(cdp)
  const { status, body } = await service.post(cdp, { extensions: ['/home/user/absent'] })
  assert.deepEqual([status, body.code], [400, 'browser.INVALID'])
  assert.match(body.message, /\/home\/user\/absent is not a folder with the manifest\.json/)
  for (const wrong of [
    { proxy: { server: 'http://user:secret@proxy.example:1' } },
    { proxy: { server: 'http://proxy.example --no-sandbox' } },
    { locale: 'de DE' },
    { extensions: ['relative'] },
    { extensions: ['/a,/b'] },
    { storageState: { origins: [{ origin: 'https://example.org/path' }] } },
  ])
    assert.equal((await service.post(cdp, wrong)).status, 400, JSON.stringify(wrong))
})

test('a sandbox that is paused closes the connection, and is woken by a URL if its rules say so', async () => {
  const lifecycle = { onTimeout: 'pause', autoResume: true }
  const sleeper = await runningSandbox(service, { lifecycle })
  await installFakeBrowser(service, sleeper)
  const { wsUrl, httpUrl } = await connect(`${sleeper}/browser/cdp`)
  const client = await BrowserClient.open(wsUrl)
  assert.equal((await service.post(`${sleeper}/pause`)).status, 200)
  await client.closed
  await echo(await BrowserClient.open(wsUrl), 'awake')
  assert.equal((await service.post(`${sleeper}/pause`)).status, 200)
  assert.equal((await fetch(`${httpUrl}/json/version`)).status, 200)
  const last = await BrowserClient.open(wsUrl)
  await service.remove(sleeper)
  await last.closed
  assert.deepEqual(await refusal(wsUrl), [401, 'browser.UNAUTHORIZED'])
})

test('viewers drive no browser, and the audit log has who did', async () => {
  const viewer = await service.keyOf('viewer')
  assert.equal((await service.get(cdp, { key: viewer })).status, 403)
  await connect()
  const target = sandbox.split('/').at(-1)
  const { text, body } = await service.get(`~/audit-log?target=${target}&operation=connectSandboxBrowser`)
  assert.equal(body.entries[0]?.outcome, 'attempted')
  assert.doesNotMatch(text, /sgb_/)
})
