import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { connectDetails } from '../../packages/server/src/testing/live-viewer.ts'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { film } from './support/guest.ts'
import { openPlain, pixelOf, servePlainPage } from './support/plain-page.ts'
import { hasPicture, showsTheMachine } from './support/sandbox-view.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const browser = await openBrowser()
const url = await servePlainPage()

declare global {
  interface Window {
    drawnVideoFrames: number
  }
}

test('motion is decoded as video, and every pixel is exact at rest', async () => {
  const page = await openPlain(browser, url, await connectDetails(service, sandbox))
  await hasPicture(page)
  // Video frames are drawn with drawImage, and tiles are not.
  await page.evaluate(() => {
    window.drawnVideoFrames = 0
    const { drawImage } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.drawImage = function (...args: unknown[]) {
      if (args[0] instanceof VideoFrame) window.drawnVideoFrames += 1
      return Reflect.apply(drawImage, this, args)
    }
  })
  const { stop } = await film(service, sandbox)
  const colours = new Set<string>()
  await waitFor(async () => {
    colours.add((await pixelOf(page, 420, 300)).join())
    return colours.size > 5 && (await page.evaluate(() => window.drawnVideoFrames)) > 10
  })
  await stop()
  await showsTheMachine(page, service, sandbox)
  assert.equal(await page.evaluate(() => window.view.state.kind), 'live')
  await page.close()
})

test('without video, motion is sent as tiles and images, and is exact as well', async () => {
  const page = await openPlain(browser, url, await connectDetails(service, sandbox), { video: false })
  await hasPicture(page)
  const { stop } = await film(service, sandbox)
  const colours = new Set<string>()
  await waitFor(async () => colours.add((await pixelOf(page, 420, 300)).join()).size > 3)
  await stop()
  await showsTheMachine(page, service, sandbox)
  await page.close()
})
