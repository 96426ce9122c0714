import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TestDesktop } from '../../actions/test-desktop.ts'
import type { Clipboard } from '../../contract/screen.ts'

const text = 'Grüße, 世界 😀\nsecond line'

let desktop: TestDesktop
let clipboard: Clipboard

before(async () => {
  desktop = await TestDesktop.start()
  assert.ok(desktop.machine.screen.clipboard)
  clipboard = desktop.machine.screen.clipboard
  await desktop.shell('touch /tmp/paste.txt')
  await desktop.open('l3afpad /tmp/paste.txt', 'l3afpad')
})
after(() => desktop?.close())

async function pasted(): Promise<string> {
  await desktop.press('ctrl+a')
  await desktop.press('ctrl+v')
  await desktop.press('ctrl+s')
  return desktop.shell('cat /tmp/paste.txt')
}

test('text in any script that is written to the clipboard can be pasted in the machine', async () => {
  await clipboard.write(text)
  await desktop.until(async () => (await pasted()) === text)
})

test('text that is copied in the machine is reported to those who watch, and only to them', async () => {
  const [received, missed]: [string[], string[]] = [[], []]
  const stop = await clipboard.watch(copied => received.push(copied))
  const stopAtOnce = await clipboard.watch(copied => missed.push(copied))
  stopAtOnce()
  await desktop.type('Ελληνικά and more')
  await desktop.until(async () => {
    await desktop.press('ctrl+a')
    await desktop.press('ctrl+c')
    return received.some(copied => copied.includes('Ελληνικά and more'))
  })
  stop()
  assert.deepEqual(missed, [])
})

test('all held keys and buttons are released at once', async () => {
  const input = await desktop.machine.screen.input()
  const [control, a] = [0xffe3, 0x61]
  await input.prepare([control, a])
  for (const keysym of [control, a]) input.keyDown(keysym)
  input.press('left')
  await input.releaseAll()
  assert.equal(await desktop.held(), '0 0 0')
})
