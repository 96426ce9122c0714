import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Connect } from '@sandglass/protocol'
import { decodeJwt, SignJWT } from 'jose'
import { connectDetails, dialLive, enter, viewerOf } from '../../testing/live-viewer.ts'
import { runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const connect = await connectDetails(service, sandbox)

async function refusal(details: Connect): Promise<[code: string, isFinal: boolean]> {
  const client = await enter(details)
  const { code, isFinal } = await client.goodbye()
  assert.equal(client.pictures, 0)
  return [code, isFinal]
}

test('connectDetails lists the available WebSocket with everything that a client needs', () => {
  const { port } = new URL(service.service.url)
  assert.deepEqual(connect.gatewayAddresses, [
    {
      address: '127.0.0.1',
      port: Number(port),
      name: 'websocket',
      preferredProviders: ['GLOBAL_BGP'],
      gatewayType: 'WEBSOCKET',
      path: '/live',
    },
  ])
  assert.equal(connect.roomId, sandbox.replace('~/sandboxes/', ''))
  const claims = decodeJwt(connect.endUserToken)
  assert.equal(claims.aud, 'sandglass-room')
  assert.ok(claims.jti && claims.iat)
})

test('a malformed or forged token and a token of another room are refused', async () => {
  const [head, body, signature = ''] = connect.endUserToken.split('.')
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  const stranger = generateKeyPairSync('ed25519').privateKey
  const forged = await new SignJWT(decodeJwt(connect.endUserToken))
    .setProtectedHeader({ alg: 'EdDSA' })
    .sign(stranger)
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
  for (const endUserToken of ['', 'none', `${head}.${body}.${flipped}`, forged, unsigned])
    assert.deepEqual(await refusal({ ...connect, endUserToken }), ['live.TOKEN_INVALID', true])
  const other = await runningSandbox(service)
  const elsewhere = { ...connect, roomId: other.replace('~/sandboxes/', '') }
  assert.deepEqual(await refusal(elsewhere), ['live.TOKEN_INVALID', true])
  await service.remove(other)
})

test('a shared token has the selected rights and lifetime, and its viewer is disconnected when it expires', async () => {
  const shared = await service.post(`${sandbox}/live/tokens`, { scope: ['input'], lifetimeSeconds: 10 })
  assert.deepEqual([shared.status, shared.body.scope], [200, ['view', 'input']], shared.text)
  const viewer = await enter(shared.body)
  assert.equal((await viewer.message('welcome')).expiresAt, shared.body.expiresAt)
  viewer.say({ kind: 'renew' })
  assert.equal(
    (await viewer.message('token')).expiresAt,
    shared.body.expiresAt,
    'a renewal does not extend it',
  )
  const { code, isFinal } = await viewer.goodbye()
  assert.deepEqual([code, isFinal], ['live.TOKEN_EXPIRED', true])
  assert.deepEqual(await refusal(shared.body), ['live.TOKEN_EXPIRED', true])
})

test('nobody can share more rights than they have', async () => {
  for (const [role, scope, status] of [
    ['viewer', ['view'], 200],
    ['viewer', ['input'], 403],
    ['member', ['input', 'clipboard:write'], 200],
    ['member', ['force'], 403],
    ['admin', ['force'], 200],
  ] as const) {
    const key = await service.keyOf(role)
    const { status: answered } = await service.post(`${sandbox}/live/tokens`, { scope }, { key })
    assert.equal(answered, status, `${role} ${scope}`)
  }
  const viewer = await viewerOf(service, sandbox, { key: await service.keyOf('viewer') })
  assert.deepEqual(viewer.last('welcome')?.scope, ['view'])
})

test('revoking an API key disconnects the viewers of its tokens and ends its tokens and invitations', async () => {
  const { body: key } = await service.post('~/api-keys', { name: 'brief', role: 'member' })
  const details = await connectDetails(service, sandbox, { key: key.apiKey })
  const { body: invitation } = await service.post(`${sandbox}/live/invitations`, {}, { key: key.apiKey })
  const viewer = await enter(details)
  await viewer.message('lease')
  await service.remove(`~/api-keys/${key.id}`)
  const { code, isFinal } = await viewer.goodbye()
  assert.deepEqual([code, isFinal], ['live.TOKEN_REVOKED', true])
  assert.deepEqual(await refusal(details), ['live.TOKEN_REVOKED', true])
  const redeemed = await service.post('/api/live/redeem', { code: invitation.code }, { key: null })
  assert.deepEqual([redeemed.status, redeemed.body.code], [404, 'live.INVITATION_NOT_FOUND'])
})

test('a token is renewed over the connection with the same rights, and can be replaced by another', async () => {
  const key = await service.keyOf('member')
  const viewer = await viewerOf(service, sandbox, { key })
  viewer.say({ kind: 'renew' })
  const { token, scope } = await viewer.message('token')
  assert.deepEqual(scope, ['view', 'input', 'clipboard:read', 'clipboard:write'])
  const again = await enter({ ...connect, endUserToken: token })
  await again.message('welcome')
  const { body: narrower } = await service.post(`${sandbox}/live/tokens`, { scope: ['view'] })
  viewer.say({ kind: 'renew', token: narrower.endUserToken })
  await viewer.until(() => viewer.last('token')?.scope.length === 1)
  viewer.say({ kind: 'take' })
  await viewer.message('refused')
  viewer.say({ kind: 'renew', token: 'nonsense' })
  assert.equal((await viewer.goodbye()).code, 'live.TOKEN_INVALID')
})

test('an invitation admits everybody who has its link, until it is revoked', async () => {
  const { body } = await service.post(`${sandbox}/live/invitations`, { scope: ['view', 'input'] })
  assert.equal(body.url, `${service.service.url}/view#${body.code}`)
  const redeem = (code: string) => service.post('/api/live/redeem', { code }, { key: null })
  const { status, body: details, text } = await redeem(body.code)
  assert.equal(status, 200, text)
  const viewer = await enter(details)
  assert.deepEqual((await viewer.message('welcome')).scope, ['view', 'input'])
  const { body: list } = await service.get(`${sandbox}/live/invitations`)
  assert.ok(list.some(({ id }: { id: string }) => id === body.id))
  assert.ok(!JSON.stringify(list).includes(body.code))
  await service.remove(`${sandbox}/live/invitations/${body.id}`)
  assert.equal((await viewer.goodbye()).code, 'live.TOKEN_REVOKED')
  for (const code of [body.code, 'sgi_guess'])
    assert.equal((await redeem(code)).body.code, 'live.INVITATION_NOT_FOUND')
  const { body: log } = await service.get('~/audit-log?operation=redeemLiveInvitation')
  assert.deepEqual(log.entries[0].actor, { kind: 'invitation', id: body.id })
})

test('all tokens and invitations of a room can be revoked at once, without affecting other rooms', async () => {
  const other = await runningSandbox(service)
  const details = await connectDetails(service, other)
  const { body: invitation } = await service.post(`${other}/live/invitations`, {})
  const [viewer, elsewhere] = [await enter(details), await enter(connect)]
  await viewer.message('welcome')
  await elsewhere.message('welcome')
  assert.equal((await service.delete(`${other}/live/tokens`)).status, 200)
  assert.equal((await viewer.goodbye()).code, 'live.TOKEN_REVOKED')
  assert.deepEqual(await refusal(details), ['live.TOKEN_REVOKED', true])
  const { status } = await service.post('/api/live/redeem', { code: invitation.code }, { key: null })
  assert.equal(status, 404)
  const returning = await enter(await connectDetails(service, other))
  await returning.message('welcome')
  assert.equal(elsewhere.isClosed, false)
  await service.remove(other)
  const { code, isFinal } = await returning.goodbye()
  assert.deepEqual([code, isFinal], ['live.ROOM_GONE', true])
})

test('a connection that does not begin with a hello is refused', async () => {
  const client = await dialLive(connect)
  client.say({ kind: 'take' })
  assert.equal((await client.goodbye()).code, 'live.PROTOCOL')
})

test('a trial session can view its own sandboxes, and its viewers are disconnected when it is revoked', async () => {
  const { body: trial } = await service.post('~/trial-tokens', {
    name: 'visitor',
    expiresInSeconds: 600,
    sandboxQuota: 1,
    shapeNames: ['small'],
  })
  const asTrial = { key: null, headers: { 'x-trial-session-token': trial.trialToken } }
  const { body: made, text } = await service.post('~/sandboxes', { shapeName: 'small' }, asTrial)
  const path = `~/sandboxes/${made.id}`
  await waitFor(async () => (await service.get(`${path}/status`)).body.status === 'RUNNING')
  const viewer = await enter(await connectDetails(service, path, asTrial))
  assert.ok(!(await viewer.message('welcome')).scope.includes('force'), text)
  assert.equal((await service.get(sandbox, asTrial)).status, 404)
  await service.remove(`~/trial-tokens/${trial.id}`)
  // The sandbox ends with its trial, and the viewer may learn of either first.
  assert.match((await viewer.goodbye()).code, /^live\.(TOKEN_REVOKED|ROOM_GONE)$/)
})
