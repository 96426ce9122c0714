import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { freePort, waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { resolveNamesToLoopback } from '../../packages/server/src/testing/names.ts'
import { startTestService, type TestService } from '../../packages/server/src/testing/test-service.ts'
import { openBrowser } from '../support/browser.ts'
import { dialerOf } from '../support/mapped-program.ts'
import { paperEngines } from '../support/paper-engine.ts'

resolveNamesToLoopback()

/** What the program in the sandbox receives from browsers: the raw headers of each request. */
const received: string[] = []
const page =
  '<!doctype html><meta charset="utf-8"><title>Hostile</title><p>A page of a program in a sandbox.</p>'
const program = createServer((request, response) => {
  received.push(request.rawHeaders.join('\n'))
  response.setHeader('content-type', 'text/html')
  // What a guest can try to plant with a header.
  response.setHeader('set-cookie', [
    'sandglass-session=planted; Path=/',
    'sandglass-session=planted; Path=/; Domain=sandglass.test',
    '__Host-sandglass-session=planted; Path=/; Secure',
    'harmless=1; Path=/',
  ])
  response.end(page)
})
const dial = await dialerOf(program)
const browser = await openBrowser()

interface World {
  readonly service: TestService
  /** Where the person has opened the service. */
  readonly base: string
  /** The page of the program in the sandbox. */
  readonly hostile: string
}

async function startWorld(names: 'localhost' | 'sandglass.test'): Promise<World> {
  const port = await freePort()
  const env = {
    SANDGLASS_PORT: String(port),
    ...(names !== 'localhost' && {
      SANDGLASS_PUBLIC_URL: `http://${names}:${port}`,
      SANDGLASS_MAPPING_DOMAIN: `apps.${names}:${port}`,
    }),
  }
  const service = await startTestService(env, async () => paperEngines({ dial }))
  const { body: sandbox } = await service.post('~/sandboxes', { shape: 'linux-desktop' })
  const path = `~/sandboxes/${sandbox.id}`
  await waitFor(async () => (await service.get(`${path}/status`)).body.status === 'RUNNING')
  const { body: mapping } = await service.post(`${path}/mappings`, { targetEndpoint: 'localhost:3000' })
  return {
    service,
    base: `http://${names}:${port}`,
    hostile: `http://${mapping.domain}/?sandglass_token=${mapping.accessToken}`,
  }
}

/** What a call from a page of the service says: the status, and who the caller is or what is wrong. */
async function whoami(
  own: Page,
): Promise<{ status: number; kind?: string | undefined; code?: string | undefined }> {
  return own.evaluate(async () => {
    const response = await fetch('/api/whoami', { headers: { 'x-sandglass-session': '1' } })
    const { kind, code } = (await response.json()) as { kind?: string; code?: string }
    return { status: response.status, kind, code }
  })
}

async function signedInPage({ base, service }: World): Promise<Page> {
  const own = await browser.newPage()
  await own.goto(`${base}/openapi.json`)
  const status = await own.evaluate(async apiKey => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch('/api/sessions', {
      method: 'POST',
      headers,
      body: JSON.stringify({ apiKey }),
    })
    return response.status
  }, service.service.credentials.apiKey)
  assert.equal(status, 200)
  assert.equal((await whoami(own)).kind, 'apiKey')
  return own
}

/** Everything that a page can try in order to call the service with the cookie of its visitor. Returns what it could read. */
async function attack(hostile: Page, { base, service }: World): Promise<string[]> {
  const projects = `${base}${service.expand('~/projects')}`
  return hostile.evaluate(
    async ({ base, projects }) => {
      const found: string[] = []
      const note = (name: string, what: unknown) => found.push(`${name}: ${what}`)
      const body = JSON.stringify({ name: 'hostile' })
      const tries: [string, string, RequestInit][] = [
        ['read', `${base}/api/whoami`, {}],
        ['read with the header', `${base}/api/whoami`, { headers: { 'x-sandglass-session': '1' } }],
        ['change', projects, { method: 'POST', body, headers: { 'content-type': 'application/json' } }],
        ['change as text', projects, { method: 'POST', body, headers: { 'content-type': 'text/plain' } }],
        ['change without reading', projects, { method: 'POST', body, mode: 'no-cors' }],
        ['sign out', `${base}/api/sessions/current`, { method: 'DELETE' }],
      ]
      for (const [name, url, init] of tries)
        await fetch(url, { credentials: 'include', ...init }).then(
          async response => response.type === 'opaque' || note(name, await response.text()),
          () => {},
        )
      navigator.sendBeacon(projects, new Blob([body], { type: 'text/plain' }))
      const frame = document.createElement('iframe')
      frame.name = 'target'
      document.body.append(frame)
      for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const form = document.createElement('form')
        Object.assign(form, { action: projects, method: 'post', enctype, target: 'target' })
        const input = document.createElement('input')
        Object.assign(input, { name: '{"name":"hostile","x":"', value: '"}' })
        form.append(input)
        document.body.append(form)
        const loaded = new Promise(resolve => frame.addEventListener('load', resolve, { once: true }))
        form.submit()
        await loaded
      }
      const loaded = new Promise(resolve => frame.addEventListener('load', resolve, { once: true }))
      frame.src = `${base}/api/whoami`
      await loaded
      try {
        note('the text of a frame', frame.contentDocument?.body.textContent ?? 'hidden')
      } catch {}
      await new Promise<void>(resolve => {
        const address = `${projects.replace(/^http/, 'ws').replace('projects', 'sandboxes/x/tunnel/80')}`
        const socket = new WebSocket(address)
        socket.onopen = () => note('a WebSocket', 'open')
        socket.onerror = () => resolve()
        socket.onclose = () => resolve()
      })
      note('cookies', document.cookie)
      return found
    },
    { base, projects },
  )
}

const worlds = {
  localhost: await startWorld('localhost'),
  'sandglass.test': await startWorld('sandglass.test'),
}

for (const names of ['localhost', 'sandglass.test'] as const)
  test(`a page of a sandbox cannot read or use the session of a person at ${names}`, async () => {
    const world = worlds[names]
    const { service } = world
    const own = await signedInPage(world)
    const [cookie] = (await browser.cookies(world.base)).filter(({ name }) => name === 'sandglass-session')
    assert.ok(cookie?.httpOnly && cookie.sameSite === 'Strict')
    assert.equal(await own.evaluate(() => document.cookie), '')
    const before = (await service.get('~/projects')).body.length

    received.length = 0
    const hostile = await browser.newPage()
    await hostile.goto(world.hostile)
    assert.equal(await hostile.title(), 'Hostile')
    assert.deepEqual(await attack(hostile, world), ['the text of a frame: hidden', 'cookies: harmless=1'])
    await hostile.reload()
    assert.ok(received.length >= 2)
    for (const headers of received) assert.ok(!headers.includes(cookie.value))

    assert.equal((await service.get('~/projects')).body.length, before, 'nothing was changed')
    assert.deepEqual(
      (await browser.cookies(world.base))
        .filter(({ name }) => name === 'sandglass-session')
        .map(({ value }) => value),
      [cookie.value],
      'nothing was planted',
    )
    assert.equal((await whoami(own)).status, 200)

    // What a script can plant without TLS makes the service refuse both cookies, instead of accepting the wrong one.
    await hostile.evaluate(() => {
      for (const domain of ['sandglass.test', 'localhost']) {
        // biome-ignore lint/suspicious/noDocumentCookie: this is what a hostile page does.
        document.cookie = `sandglass-session=sgw_planted; path=/; domain=${domain}`
      }
    })
    const after = await whoami(own)
    if (names === 'localhost') assert.equal(after.status, 200)
    else assert.deepEqual([after.status, after.code], [401, 'auth.AMBIGUOUS'])
  })

test('a page on a forwarded port of the same host cannot use the session', async () => {
  const world = worlds.localhost
  const forwarded = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(page),
  ).listen(0, '127.0.0.1')
  cleanup.defer(() => {
    forwarded.close()
    forwarded.closeAllConnections()
  })
  await waitFor(() => forwarded.listening)
  const own = await signedInPage(world)
  const before = (await world.service.get('~/projects')).body.length
  const hostile = await browser.newPage()
  await hostile.goto(`http://localhost:${(forwarded.address() as AddressInfo).port}/`)
  assert.deepEqual(await attack(hostile, world), ['the text of a frame: hidden', 'cookies: '])
  assert.equal((await world.service.get('~/projects')).body.length, before)
  assert.equal((await whoami(own)).status, 200)
})
