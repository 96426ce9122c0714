import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { ComponentRestart, MachineHealth } from '../../contract/health.ts'
import type { Machine } from '../../contract/machine.ts'
import { waitFor } from '../../testing/wait-for.ts'
import type { LocalEngine } from './local-engine.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'

/**
 * Only a window manager adds a window to this list. It may miss a window while it starts, so another one is opened
 * then.
 */
const managesWindows = `
xterm >/dev/null 2>&1 & opened=$!
for i in $(seq 50); do
  xprop -root _NET_CLIENT_LIST | grep -q '# 0x' && echo managed && exit
  sleep 0.1
done
kill $opened`

describe('components of the session that end', { timeout: 240_000 }, () => {
  let test: TestEngine
  let engine: LocalEngine
  let machine: Machine
  const restarts: ComponentRestart[] = []
  before(async () => {
    test = await testEngine()
    engine = test.open()
    machine = await engine.open(await engine.create(testSpec()))
    machine.onHealth = ({ lastRestart }: MachineHealth) => void (lastRestart && restarts.push(lastRestart))
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  const shell = async (script: string) =>
    (await text((await machine.exec({ executable: 'sh', args: ['-c', script] })).stdout)).trim()
  const pidOf = (name: string) =>
    shell(`for p in /proc/[0-9]*; do grep -q ^${name} $p/comm && basename $p; done`)
  const isReported = (component: string) => restarts.some(restart => restart.component === component)

  it('are restarted: the window manager, which then manages windows as before', async () => {
    const before = await pidOf('openbox')
    await shell(`kill -9 ${before}`)
    await waitFor(async () => !['', before].includes(await pidOf('openbox')))
    await waitFor(async () => (await shell(managesWindows)) === 'managed')
    await waitFor(() => isReported('window manager'))
    assert.match(machine.health.lastRestart?.reason ?? '', /window manager ended with code 137/)
  })

  it('are restarted: any component of the session', async () => {
    await shell('/run/sandglass/guest/keep panel sleep 4321 >/dev/null 2>&1 &')
    const pid = () =>
      shell(
        `for p in /proc/[0-9]*; do grep -q 4321 $p/cmdline && grep -q ^sleep $p/comm && basename $p; done`,
      )
    await waitFor(async () => (await pid()) !== '')
    const first = await pid()
    await shell(`kill -9 ${first}`)
    await waitFor(async () => !['', first].includes(await pid()))
    await waitFor(() => isReported('panel'))
  })

  it('are reported even after a guest has flooded the service with reports', async () => {
    await shell('timeout 3 yes > /run/sandglass/session')
    restarts.length = 0
    await waitFor(async () => {
      await shell('echo \'{"restarted": "panel"}\' > /run/sandglass/session')
      return isReported('panel')
    })
  })

  it('are restarted: the X server with everything on it', async () => {
    const before = await pidOf('Xtigervnc')
    await shell(`kill -9 ${before}`)
    await waitFor(async () => !['', before].includes(await pidOf('Xtigervnc')))
    await waitFor(async () => (await pidOf('openbox')) !== '')
    await waitFor(() => isReported('display'))
    const { frame } = await machine.screen.look()
    assert.equal(frame.width, 1280)
  })
})
