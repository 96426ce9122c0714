import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveClient } from '@sandglass/gateway/testing'
import { waitFor } from '@sandglass/machines/testing'
import type { Connect } from '@sandglass/protocol'
import { LiveDesktop } from '../../packages/server/src/testing/live-desktop.ts'
import { connectDetails, enter } from '../../packages/server/src/testing/live-viewer.ts'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startTwoNodes } from './support/two-nodes.ts'

const { owner, front } = await startTwoNodes()
const sandbox = await runningSandbox(owner)
const desktop = new LiveDesktop(owner, sandbox)

/** Returns connect details with the port of the process without the machine, which a load balancer might choose. */
async function detailsAtFront(path = sandbox): Promise<Connect> {
  const connect = await connectDetails(front, path)
  const port = Number(new URL(front.service.url).port)
  return { ...connect, gatewayAddresses: connect.gatewayAddresses.map(address => ({ ...address, port })) }
}

async function viewerAtFront(): Promise<LiveClient> {
  const viewer = await enter(await detailsAtFront())
  await viewer.message('lease')
  return viewer
}

function colourOf({ canvas }: LiveClient): string {
  return Buffer.from(canvas?.rgba.slice(0, 3) ?? []).toString('hex')
}

test('a viewer that connects to another process sees the screen and can control it', async () => {
  const ada = await viewerAtFront()
  await ada.until(() => ada.canvas)
  for (const colour of ['336699', '102030']) {
    await desktop.paint(colour)
    await ada.until(() => colourOf(ada) === colour)
  }
  await ada.takeControl()
  ada.do({ type: 'pointer', x: 321, y: 123, buttons: 1 })
  await waitFor(async () => {
    const [{ x, y }, { buttons }] = [await desktop.pointer(), await desktop.held()]
    return x === 321 && y === 123 && buttons === 1
  })
  ada.do({ type: 'pointer', x: 321, y: 123, buttons: 0 })
  await waitFor(async () => (await desktop.held()).buttons === 0)
  ada.close()
})

test('buttons that a viewer held down are released when it disconnects from another process', async () => {
  const ada = await viewerAtFront()
  await ada.takeControl()
  ada.do({ type: 'pointer', x: 5, y: 6, buttons: 1 })
  await waitFor(async () => (await desktop.held()).buttons === 1)
  ada.close()
  await waitFor(async () => (await desktop.held()).buttons === 0)
})

test('the goodbye of the owner reaches the viewer before its connection ends', async () => {
  const ada = await viewerAtFront()
  await front.remove(`${sandbox}/live/tokens`)
  assert.equal((await ada.goodbye()).code, 'live.TOKEN_REVOKED')
})

test('an invalid token is refused by the process that the viewer connected to', async () => {
  const stranger = await enter({ ...(await detailsAtFront()), endUserToken: 'forged' })
  assert.equal((await stranger.goodbye()).code, 'live.TOKEN_INVALID')
})

test('a process that stops closes the connections of the viewers that it forwards', async () => {
  const ada = await viewerAtFront()
  const details = await detailsAtFront()
  await front.service.close()
  await ada.until(() => ada.isClosed)
  const again = await enter(await connectDetails(owner, sandbox))
  await again.message('lease')
  again.close()
  await assert.rejects(enter(details))
})
