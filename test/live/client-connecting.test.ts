import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { channel } from '@sandglass/wire/frames'
import { FakeRoom, fill } from './support/fake-room.ts'
import { arrived, browser, opened, openedWithPicture, plainUrl } from './support/opened.ts'
import { openPlain, pixelOf } from './support/plain-page.ts'

test('a lost connection is re-established while the last picture stays visible', async () => {
  const { room, viewer, page } = await openedWithPicture()
  viewer.socket.terminate()
  await page.waitForFunction(() => window.view.state.kind === 'reconnecting')
  assert.equal(await page.evaluate(() => window.view.lease.isMine), false)
  await arrived(room, 2)
  assert.deepEqual(await pixelOf(page, 5, 5), [1, 2, 3])
  room.last.welcome()
  room.last.tiles(640, 360, fill(0, 0, 640, 360, 9, 9, 9))
  await waitFor(async () => room.last.acknowledged === 1)
  assert.deepEqual(await pixelOf(page, 5, 5), [9, 9, 9])
  assert.equal(await page.evaluate(() => window.view.state.kind), 'live')
  await page.close()
})

test('a final goodbye is reported and not retried; a temporary one is retried', async () => {
  const { room, page } = await opened()
  const goodbye = { kind: 'goodbye', code: 'live.CLOSING', message: 'Soon again.', isFinal: false } as const
  room.last.say(goodbye)
  await arrived(room, 2)
  room.last.say({ ...goodbye, code: 'live.TOKEN_EXPIRED', message: 'The token has ended.', isFinal: true })
  await page.waitForFunction(() => window.view.state.kind === 'ended')
  assert.deepEqual(await page.evaluate(() => window.view.state), {
    kind: 'ended',
    code: 'live.TOKEN_EXPIRED',
    message: 'The token has ended.',
  })
  assert.equal(room.viewers.length, 2)
  await page.close()
})

test('an expired token is replaced by the page, if it can', async () => {
  const room = await FakeRoom.start()
  const page = await browser.newPage()
  await page.goto(plainUrl)
  await page.waitForFunction(() => window.connectLive !== undefined)
  await page.evaluate(connectDetails => {
    const freshDetails = async () => ({ ...connectDetails, endUserToken: 'a newer token' })
    window.view = window.connectLive({ element: document.body, connectDetails, freshDetails })
  }, room.connectDetails)
  await arrived(room, 1)
  room.last.say({ kind: 'goodbye', code: 'live.TOKEN_EXPIRED', message: '', isFinal: true })
  await arrived(room, 2)
  assert.equal(room.last.said[0]?.kind === 'hello' && room.last.said[0].token, 'a newer token')
  room.last.say({ kind: 'goodbye', code: 'live.TOKEN_EXPIRED', message: '', isFinal: true })
  await page.waitForFunction(() => window.view.state.kind === 'ended')
  await page.close()
})

test('a token is renewed over the connection, and the newer one is used from then on', async () => {
  const { room, viewer, page } = await opened({ expiresAt: new Date(Date.now() + 2000).toISOString() })
  await waitFor(async () => viewer.said.some(({ kind }) => kind === 'renew'))
  viewer.say({ kind: 'token', token: 'the second', expiresAt: '2999-01-01T00:00:00.000Z', scope: ['view'] })
  await page.waitForFunction(() => window.view.state.kind === 'live' && window.view.state.scope.length === 1)
  viewer.socket.close()
  await arrived(room, 2)
  assert.equal(room.last.said[0]?.kind === 'hello' && room.last.said[0].token, 'the second')
  await page.close()
})

test('of several addresses the first that responds is used, and the others are closed', async () => {
  const [silent, slow] = [await FakeRoom.start(), await FakeRoom.start()]
  const [address] = slow.connectDetails.gatewayAddresses
  assert.ok(address)
  const page = await openPlain(browser, plainUrl, {
    ...slow.connectDetails,
    gatewayAddresses: [
      { ...address, port: 1 },
      { ...address, port: silent.port },
      { ...address, gatewayType: 'KCP' },
      address,
    ],
  })
  await arrived(slow, 1)
  await arrived(silent, 1)
  slow.last.welcome()
  await page.waitForFunction(() => window.view.state.kind === 'live')
  await waitFor(async () => silent.last.socket.readyState === silent.last.socket.CLOSED)
  await page.close()
})

test('the round trip, the rate and the frames are measured', async () => {
  const { viewer, page } = await openedWithPicture()
  await page.evaluate(() => {
    window.view.on('statistics', figures => {
      document.title = JSON.stringify(figures)
    })
  })
  const pong = () => {
    const ping = viewer.others.findLast(frame => frame.channel === channel.statistics)
    if (ping) viewer.send(Uint8Array.from([0, 0, 0, 6, channel.statistics, 2, ...ping.payload]))
  }
  const answering = setInterval(pong, 50)
  await page.waitForFunction(() => document.title.includes('"latencyMs":'))
  clearInterval(answering)
  const figures = JSON.parse(await page.title())
  assert.equal(figures.transport, 'websocket')
  assert.ok(figures.latencyMs >= 0)
  await page.close()
})

test('invalid frames end the connection, and a new one is opened', async () => {
  const { room, viewer, page } = await openedWithPicture()
  viewer.send(Uint8Array.from([0, 0, 0, 1, 0]))
  viewer.send(Uint8Array.from([0, 0, 0, 3, channel.picture, 1, 0]))
  await arrived(room, 2)
  await page.close()
})
