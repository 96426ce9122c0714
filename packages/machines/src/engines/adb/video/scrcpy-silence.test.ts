import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { fakePhone } from './test-fake-phone.ts'
import { isSame, picture } from './test-pictures.ts'

const size = { width: 360, height: 640 }
const first = picture(size, { x: 20, y: 30, width: 100, height: 80 }, [250, 20, 30])
const second = picture(size, { x: 200, y: 400, width: 100, height: 80 }, [10, 240, 40])

suite('starting a video times out', { concurrency: true }, () => {
  test('if the server accepts no connection', async t => {
    const { phone, watcher, reasons } = await fakePhone(t, first)
    phone.isDeaf = true
    await watcher.watch()
    await waitFor(() => phone.program !== undefined)
    phone.screen = second
    await waitFor(() => isSame(watcher.shown, second))
    await waitFor(() => reasons.length > 0)
    assert.match(reasons.join(), /the scrcpy server sent no video within 15 s/)
    await waitFor(() => phone.program?.isClosed === true)
  })

  test('if the server sends nothing', async t => {
    const { phone, watcher, reasons } = await fakePhone(t, first)
    await watcher.watch()
    await waitFor(() => phone.video !== undefined)
    phone.screen = second
    await waitFor(() => isSame(watcher.shown, second))
    await waitFor(() => reasons.length > 0)
    assert.match(reasons.join(), /its video had no picture within 15 s/)
    await waitFor(() => phone.video?.isClosed === true && phone.program?.isClosed === true)
  })
})
