import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { connectDetails } from '../../packages/server/src/testing/live-viewer.ts'
import { runIn, runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { openPlain, servePlainPage } from './support/plain-page.ts'
import { hasPicture, showsTheMachine } from './support/sandbox-view.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const browser = await openBrowser()
const url = await servePlainPage()

const run = (script: string) => runIn(service, sandbox, { executable: 'sh', args: ['-c', script] })

async function sh(script: string): Promise<void> {
  const { exitCode, stderr } = await run(script)
  assert.equal(exitCode, 0, stderr)
}

test('ten view at the same time, and one that stalls delays nobody and catches up with the newest picture', async () => {
  const details = await connectDetails(service, sandbox)
  const pages = await Promise.all(Array.from({ length: 10 }, () => openPlain(browser, url, details)))
  await Promise.all(pages.map(hasPicture))
  const [stalled, ...others] = pages
  assert.ok(stalled)
  // Its page is frozen until told otherwise: it receives and acknowledges no frame.
  const devtools = await stalled.context().newCDPSession(stalled)
  await devtools.send('Debugger.enable')
  await devtools.send('Debugger.pause')
  const paused = stalled.evaluate(() => document.title)
  await new Promise(resolve => devtools.once('Debugger.paused', resolve))

  await sh('xterm -geometry 100x30+50+50 -e "seq 1 3000; touch printed; sleep 1000" >/dev/null 2>&1 &')
  await waitFor(async () => (await run('ls printed')).exitCode === 0)
  for (const page of others) await showsTheMachine(page, service, sandbox)

  await devtools.send('Debugger.resume')
  await paused
  await showsTheMachine(stalled, service, sandbox)
  assert.equal(await stalled.evaluate(() => window.view.state.kind), 'live')
})
