import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { resolveNamesToLoopback } from '../../testing/names.ts'
import { startGuest } from './testing/guest.ts'
import { raw } from './testing/raw.ts'

resolveNamesToLoopback()
const guest = await startGuest()
const { service, id } = guest
const mappings = `~/sandboxes/${id}/mappings`
await guest.serve(3000)

const seen = async (url: string, headers: Record<string, string>) => {
  const answer = await fetch(url, { headers, redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, body: JSON.parse((await answer.text()) || '{}') }
}

test('a mapping is created once, listed, shown and deleted', async () => {
  const { status, body: made } = await service.post(mappings, { targetEndpoint: '127.0.0.1:4001' })
  assert.equal(status, 200)
  const { port } = new URL(service.service.url)
  assert.match(made.domain, new RegExp(`^m-[0-9a-f]{20}\\.localhost:${port}$`))
  assert.equal(made.targetEndpoint, '127.0.0.1:4001')
  assert.match(made.accessToken, /^sgm_[\w-]+\.[\w-]{43}$/)
  assert.deepEqual((await service.post(mappings, { targetEndpoint: '127.0.0.1:4001' })).body, made)
  const other = (await service.post(mappings, { targetEndpoint: 'localhost:4001' })).body
  assert.notEqual(other.domain, made.domain)
  assert.deepEqual((await service.get(mappings)).body, [made, other])
  for (const written of ['127.0.0.1:4001', '127.0.0.1%3A4001'])
    assert.deepEqual((await service.get(`${mappings}/${written}`)).body, made)
  for (const target of ['127.0.0.1%3A4001', 'localhost:4001']) {
    const gone = await service.delete(`${mappings}/${target}`)
    assert.deepEqual([gone.status, gone.body], [200, {}])
    for (const call of ['GET', 'DELETE']) {
      const answer = await service.call(call, `${mappings}/${target}`)
      assert.deepEqual([answer.status, answer.body.code], [404, 'mapping.NOT_FOUND'])
    }
  }
  const again = (await service.post(mappings, { targetEndpoint: '127.0.0.1:4001' })).body
  assert.notEqual(again.accessToken, made.accessToken, 'a token is valid only as long as its mapping exists')
  await service.remove(`${mappings}/127.0.0.1:4001`)
})

test('an invalid target, or one outside the sandbox, is a 400 with the reason', async () => {
  for (const targetEndpoint of [
    '127.0.0.1:02280',
    '127.0.0.1:+80',
    'example.com:80',
    '[::1]:80',
    '127.1:80',
  ]) {
    const { status, body } = await service.post(mappings, { targetEndpoint })
    assert.deepEqual([status, body.code], [400, 'request.INVALID'], targetEndpoint)
    assert.match(body.message, /targetEndpoint: must be an IPv4 address or localhost/)
  }
  for (const targetEndpoint of ['10.0.0.1:80', '169.254.169.254:80', '1.1.1.1:443']) {
    const { status, body } = await service.post(mappings, { targetEndpoint })
    assert.equal(status, 400)
    assert.match(body.message, /leads out of the sandbox/)
  }
  assert.equal((await service.get(`${mappings}/127.0.0.1:02280`)).status, 400)
})

test('mappings of another organization are not found, and a viewer cannot create any', async () => {
  const stranger = await service.otherOrganization()
  const path = `/api/orgs/${stranger.orgId}/sandboxes/${id}/mappings`
  const answer = await service.get(path, { key: stranger.apiKey })
  assert.deepEqual([answer.status, answer.body.code], [404, 'sandbox.NOT_FOUND'])
  const viewer = await service.keyOf('viewer')
  assert.equal((await service.post(mappings, { targetEndpoint: 'localhost:1' }, { key: viewer })).status, 403)
})

test('a sandbox has at most 64 mappings', async () => {
  const { body: sandbox } = await service.post('~/sandboxes', { shape: 'small' })
  const path = `~/sandboxes/${sandbox.id}/mappings`
  for (let port = 1; port <= 64; port++) await service.post(path, { targetEndpoint: `localhost:${port}` })
  const { status, body } = await service.post(path, { targetEndpoint: 'localhost:65' })
  assert.deepEqual([status, body.code], [409, 'mapping.TOO_MANY'])
  assert.equal((await service.post(path, { targetEndpoint: 'localhost:64' })).status, 200)
  assert.equal((await service.get(path)).body.length, 64)
  await service.remove(`~/sandboxes/${sandbox.id}`)
})

test('a request needs the token in a header, and without a valid one the sandbox is not contacted', async () => {
  const { domain, accessToken } = await guest.map('127.0.0.1:3000')
  const enter = () => seen(`http://${domain}/`, { 'x-sandglass-mapping-token': accessToken })
  const before = await enter()
  assert.equal(before.status, 200)
  const names = before.body.headers.map(([name]: [string]) => name.toLowerCase())
  assert.ok(!names.includes('x-sandglass-mapping-token'), 'the guest never sees it')
  const wrong: Record<string, string>[] = [
    {},
    { 'x-sandglass-mapping-token': '' },
    { 'x-sandglass-mapping-token': `${accessToken}x` },
    { 'x-sandglass-mapping-token': accessToken.replace(/.$/, accessToken.endsWith('A') ? 'B' : 'A') },
    { cookie: `sandglass-mapping=${accessToken.slice(1)}` },
    { 'x-sandglass-mapping-token': 'wrong', cookie: `sandglass-mapping=${accessToken}` },
    { 'x-api-key': service.service.credentials.apiKey },
  ]
  for (const headers of wrong) {
    const { status, body } = await seen(`http://${domain}/nothing`, headers)
    assert.deepEqual([status, body.code], [401, 'mapping.UNAUTHORIZED'], JSON.stringify(headers))
  }
  assert.equal((await enter()).body.requests, before.body.requests + 1, 'only this request reached the guest')
})

test('a connection to the guest is kept open for a while and reused', async () => {
  const { domain, accessToken } = await guest.map('127.0.0.1:3000')
  const connections = async () =>
    (await seen(`http://${domain}/`, { 'x-sandglass-mapping-token': accessToken })).body.connections
  // Retry, because the connection is not kept for long and on a busy host the second request may come too late.
  await waitFor(async () => {
    const before = await connections()
    return (await connections()) === before
  })
})

test('the token in the query is exchanged for a cookie, which the guest never sees', async () => {
  const { domain, accessToken } = await guest.map('127.0.0.1:3000')
  const opened = await seen(`http://${domain}/a%20b?x=1&sandglass_token=${accessToken}&y=%2F`, {})
  assert.equal(opened.status, 303)
  assert.equal(opened.headers.get('location'), '/a%20b?x=1&y=%2F')
  const [cookie = ''] = opened.headers.getSetCookie()
  assert.equal(cookie, `sandglass-mapping=${accessToken}; Path=/; HttpOnly; SameSite=Lax`)
  const pair = cookie.split(';')[0] ?? ''
  const { body } = await seen(`http://${domain}/a%20b?x=1&y=%2F`, { cookie: `theirs=1; ${pair}; more=2` })
  assert.equal(body.target, '/a%20b?x=1&y=%2F')
  const sent = body.headers.find(([name]: [string]) => name.toLowerCase() === 'cookie')
  assert.deepEqual(sent, ['cookie', 'theirs=1; more=2'])
  const alone = await seen(`http://${domain}/`, { cookie: pair })
  assert.ok(!JSON.stringify(alone.body).includes(accessToken))

  const elsewhere = await seen(`http://${domain}//evil.example/?sandglass_token=${accessToken}`, {})
  assert.equal(elsewhere.headers.get('location'), '/evil.example/', 'no other host is named')
  const wrong = await seen(`http://${domain}/?sandglass_token=wrong`, { cookie: pair })
  assert.equal(wrong.status, 401)

  const post = await fetch(`http://${domain}/form?sandglass_token=${accessToken}`, {
    method: 'POST',
    body: 'a',
  })
  const posted = JSON.parse(await post.text())
  assert.deepEqual([posted.target, posted.size], ['/form', 1])
})

test('a page of another origin is refused with the cookie, and admitted with the header', async () => {
  const { domain, accessToken } = await guest.map('127.0.0.1:3000')
  const cookie = `sandglass-mapping=${accessToken}`
  const sibling = `http://m-${'0'.repeat(20)}.localhost:1`
  assert.equal((await seen(`http://${domain}/`, { cookie, origin: sibling })).status, 401)
  assert.equal((await seen(`http://${domain}/`, { cookie, origin: 'null' })).status, 401)
  assert.equal((await seen(`http://${domain}/`, { cookie, origin: `http://${domain}` })).status, 200)

  const preflight = (headers: string) =>
    fetch(`http://${domain}/`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': headers,
      },
    })
  const asked = await preflight('content-type, X-Sandglass-Mapping-Token')
  assert.equal(asked.status, 204)
  assert.equal(asked.headers.get('access-control-allow-origin'), 'https://app.example')
  assert.equal(asked.headers.get('access-control-allow-methods'), 'PUT')
  assert.equal(asked.headers.get('access-control-allow-credentials'), null)
  assert.equal((await preflight('content-type')).status, 401)
  const theirs = await fetch(`http://${domain}/`, {
    method: 'OPTIONS',
    headers: { 'x-sandglass-mapping-token': accessToken },
  })
  assert.equal(JSON.parse(await theirs.text()).method, 'OPTIONS', "the guest's own, with the token")
})

test('the API does not answer on the host of a mapping, nor a mapping on the host of the API', async () => {
  const { domain, accessToken } = await guest.map('127.0.0.1:3000')
  const headers = {
    'x-sandglass-mapping-token': accessToken,
    'x-api-key': service.service.credentials.apiKey,
  }
  for (const path of ['/healthz', '/openapi.json', service.expand('~/stats')]) {
    const { body } = await seen(`http://${domain}${path}`, headers)
    assert.equal(body.target, path, 'the guest answered')
  }
  for (const spelling of [domain.toUpperCase(), domain.replace(':', '.:')]) {
    const head = `GET /x HTTP/1.1\r\nHost: ${spelling}\r\nX-Sandglass-Mapping-Token: ${accessToken}\r\nConnection: close`
    assert.match(await raw(service.service.url, `${head}\r\n\r\n`), /"target": "\/x"/)
  }
  const absent = domain.replace(/^m-./, match => (match === 'm-0' ? 'm-1' : 'm-0'))
  assert.equal((await seen(`http://${absent}/healthz`, headers)).status, 401)
  assert.equal(
    (await seen(`http://m-x.${domain.slice(domain.indexOf('.') + 1)}/healthz`, headers)).status,
    404,
  )
  assert.equal(
    (await service.get('/healthz', { headers: { 'x-sandglass-mapping-token': accessToken } })).body.target,
    undefined,
  )
})

test('a mapping survives a restart of its sandbox, and reports the state in the meantime', async () => {
  const mapping = await guest.map('127.0.0.1:3000')
  const headers = { 'x-sandglass-mapping-token': mapping.accessToken }
  const code = async () => {
    const { status, body } = await seen(`http://${mapping.domain}/`, headers)
    return status === 200 ? 200 : body.code
  }
  assert.equal(await code(), 200)
  assert.equal((await service.post(`~/sandboxes/${id}/pause`)).status, 200)
  assert.equal(await code(), 'mapping.NOT_RUNNING')
  assert.equal((await service.post(`~/sandboxes/${id}/resume`)).status, 200)
  await waitFor(async () => (await code()) === 200)
  assert.equal((await service.post(`~/sandboxes/${id}/restart`)).status, 200)
  await waitFor(async () => (await code()) === 'mapping.NOT_LISTENING')
  await guest.serve(3000)
  assert.equal(await code(), 200)
  assert.deepEqual(await guest.map('127.0.0.1:3000'), mapping)
})

test('a request through a mapping renews the idle timeout of the sandbox', async () => {
  const { domain, accessToken } = await guest.map('127.0.0.1:3000')
  const { db } = service.pool
  const idleAt = async () =>
    (await db.selectFrom('sandboxes').select('idle_at').where('id', '=', id).executeTakeFirstOrThrow())
      .idle_at
  const soon = new Date(Date.now() + 60_000)
  await db.updateTable('sandboxes').set({ idle_seconds: 3600, idle_at: soon }).where('id', '=', id).execute()
  await waitFor(async () => {
    await seen(`http://${domain}/`, { 'x-sandglass-mapping-token': accessToken })
    return ((await idleAt())?.getTime() ?? 0) > Date.now() + 3_000_000
  })
})

test('open connections end when their mapping or their sandbox is deleted', async () => {
  const streams = async (open: { domain: string; accessToken: string }) => {
    const headers = { 'x-sandglass-mapping-token': open.accessToken }
    const reader = (await fetch(`http://${open.domain}/events`, { headers })).body?.getReader()
    assert.ok((await reader?.read())?.value)
    return () =>
      reader?.read().then(
        ({ done }) => (done ? 'ended' : 'more'),
        () => 'cut',
      )
  }
  const first = await streams(await guest.map('127.0.0.1:3000'))
  assert.equal((await service.delete(`${mappings}/127.0.0.1:3000`)).status, 200)
  assert.equal(await first(), 'cut')
  const again = await guest.map('127.0.0.1:3000')
  const second = await streams(again)
  assert.equal((await service.delete(`~/sandboxes/${id}`)).status, 200)
  assert.equal(await second(), 'cut')
  const gone = await seen(`http://${again.domain}/`, { 'x-sandglass-mapping-token': again.accessToken })
  assert.deepEqual([gone.status, gone.body.code], [404, 'mapping.NOT_FOUND'])
})
