import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewerOf } from '../../testing/live-viewer.ts'
import { runIn, runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { waitFor } from '../../testing/wait-for.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)

async function pointerIn(path: string): Promise<string> {
  const args = ['getmouselocation', '--shell']
  const { stdout } = await runIn(service, path, { executable: 'xdotool', args })
  return stdout
}

test('a viewer sees the whole desktop, takes the control, and moves the pointer', async () => {
  const ada = await viewerOf(service, sandbox)
  assert.deepEqual(ada.last('welcome')?.scope, [
    ...['view', 'input', 'clipboard:read', 'clipboard:write', 'force'],
  ])
  assert.deepEqual(ada.lease?.holder, { kind: 'agent' })
  const canvas = await ada.until(() => ada.canvas)
  const { body } = await service.get(sandbox)
  assert.deepEqual([canvas.width, canvas.height], [1280, 720], JSON.stringify(body))
  await ada.takeControl()
  ada.do({ type: 'pointer', x: 321, y: 123, buttons: 0 })
  await waitFor(async () => /X=321\nY=123/.test(await pointerIn(sandbox)))
  ada.close()
})
