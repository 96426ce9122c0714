import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Phone, Sandglass } from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'

const { service } = await startMachineService({ hasPhone: true })
const client = new Sandglass(service.service.credentials)

test('a phone is tapped and typed into, and shows the elements on its screen', async () => {
  const phone = cleanup.use(await Phone.create({ client }))
  const { os } = (await phone.info()).shape
  assert.equal(os, 'Android')
  const apps = await phone.apps.list()
  assert.ok(apps.some(({ packageName }) => packageName === 'com.sandglass.settings'))
  const { shot } = await phone.apps.open('settings', { image: true })
  assert.deepEqual([shot?.width, shot?.height], [720, 1280])
  const id = 'com.sandglass.settings:id/bluetooth_on'
  await waitFor(async () => (await phone.screen.find({ id })) !== undefined)
  const bluetooth = (await phone.screen.find({ id })) ?? assert.fail()
  const { x, y, width, height } = bluetooth.bounds
  const setting = async () => (await phone.run('settings get global bluetooth_on')).stdout.trim()
  await phone.touch.tap(x + width / 2, y + height / 2)
  await waitFor(async () => (await setting()) === '1')
  await phone.screen.click(bluetooth)
  await waitFor(async () => (await setting()) === '0')
  await phone.keys.home()
  await waitFor(async () => (await phone.screen.find({ name: 'Notes' })) !== undefined)
  const { actions } = await phone.parse('ui-tars', 'Action: press_home()')
  assert.equal(actions[0]?.type, 'android:home')
  const { changed } = await phone.act([
    { type: 'touch:swipe', x: 600, y: 640, direction: 'left', distance: 400 },
  ])
  assert.ok(changed.length > 0)
  await assert.rejects(phone.keyboard.down('a'), { code: 'action.UNFIT' })
})
