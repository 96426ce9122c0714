import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { TestIssuer } from '../../packages/server/src/testing/issuer.ts'
import { ServiceProcess, temporaryFolder } from '../support/service-process.ts'

test('no log line contains a cookie, a code or a key of somebody who signs in', async () => {
  const issuer = await TestIssuer.start()
  const process = await ServiceProcess.start(await temporaryFolder(), {
    ...issuer.env,
    SANDGLASS_LOG_LEVEL: 'debug',
  })
  const { url, orgId, apiKey } = await process.credentials()
  const before = process.printed.length
  const secrets = new Set<string>([apiKey])
  const keep = (response: Response) => {
    const pairs = response.headers.getSetCookie().map(cookie => cookie.split(';')[0] ?? '')
    for (const pair of pairs) secrets.add(pair.slice(pair.indexOf('=') + 1))
    return pairs.join('; ')
  }
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  const cookie = keep(await post('/api/sessions', { apiKey }))
  const created = await post('/api/sign-in-codes', {}, { 'x-api-key': apiKey })
  const { code } = (await created.json()) as { code: string }
  secrets.add(code)
  keep(await post('/api/sessions', { code }))
  assert.equal((await post('/api/sessions', { code })).status, 401)

  // Once with success, once with a claim that is wrong, and once with the same code again.
  let callback = ''
  for (const org of [orgId, 'nobody']) {
    issuer.misbehaviour = { claims: { sandglass_org: org } }
    const begun = await fetch(`${url}/sign-in/openid`, { redirect: 'manual' })
    const attempt = keep(begun)
    const sent = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' })
    callback = sent.headers.get('location') ?? ''
    for (const name of ['code', 'state']) secrets.add(new URL(callback).searchParams.get(name) ?? '')
    for (let i = 0; i < 2; i++)
      keep(await fetch(callback, { redirect: 'manual', headers: { cookie: attempt } }))
  }
  for (const form of issuer.asked) secrets.add(form.get('code_verifier') ?? '')

  const headers = { cookie, 'x-sandglass-session': '1' }
  await fetch(`${url}/api/sessions/current`, { method: 'DELETE', headers })
  assert.equal((await fetch(`${url}/api/whoami`, { headers })).status, 401)
  const logged = () => process.printed.slice(before)
  await waitFor(() => /"path":"\/api\/whoami"/.test(logged()))
  assert.match(logged(), /"path":"\/sign-in\/openid\/callback"/)
  secrets.delete('')
  assert.ok(secrets.size >= 10)
  for (const secret of secrets) assert.ok(!logged().includes(secret))
})
