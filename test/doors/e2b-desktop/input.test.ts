import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { decode } from 'fast-png'
import { recordCalls } from '../../../packages/server/src/testing/e2b-calls/record-calls.ts'
import { openEvents } from './events.ts'
import { differenceOf, screenOf, startDesktop } from './start-desktop.ts'

recordCalls(import.meta.filename)

const { service, desktop, box } = await startDesktop({ resolution: [1100, 700] })
const pointer = async () => {
  const { cursorPosition } = await service.client.previewSandbox({ sandboxId: desktop.sandboxId })
  return cursorPosition
}
/** Both are read from the same screen, so they agree as soon as it is at rest. */
const agrees = async () => differenceOf(decode(await desktop.screenshot()), await screenOf(box)) < 0.002

test('the screen has the size that the client asked for, and is the one that the API shows', async () => {
  assert.deepEqual(await desktop.getScreenSize(), { width: 1100, height: 700 })
  const { width, height } = await screenOf(box)
  assert.deepEqual([width, height], [1100, 700])
  await waitFor(agrees)
  assert.match((await desktop.commands.run('wmctrl -m')).stdout, /Name: Openbox/)
  const blob = await desktop.screenshot('blob')
  assert.deepEqual([decode(await blob.bytes()).width, blob.size > 0], [1100, true])
  const stream = await desktop.screenshot('stream')
  assert.equal(decode(await new Response(stream).bytes()).height, 700)
})

test('the mouse moves, clicks, scrolls and drags', async () => {
  const events = await openEvents(desktop)
  const received = async (...expected: string[]) => {
    const seen: string[] = []
    await waitFor(() => {
      seen.push(...events.taken())
      return seen.length >= expected.length
    })
    assert.deepEqual(seen, expected)
  }
  const [x, y] = [events.left + 100, events.top + 100]
  await desktop.moveMouse(x, y)
  assert.deepEqual(await desktop.getCursorPosition(), { x, y })
  const seen = await pointer()
  assert.deepEqual([seen?.x, seen?.y, seen?.screenWidth, seen?.screenHeight], [x, y, 1100, 700])

  const click = (button: number, dx = 0) => {
    const place = `${x + dx},${y + dx}`
    return [`press ${button} at ${place}`, `release ${button} at ${place}`]
  }
  await desktop.leftClick(x + 10, y + 10)
  await received(...click(1, 10))
  await desktop.leftClick()
  await received(...click(1, 10))
  await desktop.doubleClick(x, y)
  await received(...click(1), ...click(1))
  // xdotool waits for 15 s if the pointer is where it shall go.
  await desktop.rightClick(x + 20, y + 20)
  await received(...click(3, 20))
  await desktop.middleClick(x, y)
  await received(...click(2))
  await desktop.scroll('down', 3)
  await received(...click(5), ...click(5), ...click(5))
  await desktop.scroll('up', 1)
  await received(...click(4))
  await desktop.mousePress('right')
  await received(`press 3 at ${x},${y}`)
  await desktop.mouseRelease('right')
  await received(`release 3 at ${x},${y}`)
  await desktop.drag([x + 30, y + 30], [x + 150, y + 50])
  await received(`press 1 at ${x + 30},${y + 30}`, `release 1 at ${x + 150},${y + 50}`)

  await desktop.press('enter')
  await received('key Return')
  await desktop.press(['ctrl', 'shift', 'f5'])
  await received('key Control_L', 'key Shift_L', 'key F5')
  await desktop.write('aZ')
  await received('key a', 'key Shift_L', 'key Z')
  await events.close()
})

test('wait lasts as long as it says', async () => {
  const from = performance.now()
  await desktop.wait(700)
  assert.ok(performance.now() - from >= 700)
})

test('the desktop goes on if its session is started again', async () => {
  const twice = await desktop.commands.run('Xvfb :0 -screen 0 1100x700x24 && pgrep -x tint2')
  assert.equal(twice.exitCode, 0)
  const session = await desktop.commands.run('startxfce4', { background: true, timeoutMs: 0 })
  const sessions = async () => (await desktop.commands.run('pgrep -cx xfce4-session')).stdout
  await waitFor(async () => (await sessions()) === '2\n')
  await session.kill()
  await waitFor(async () => (await sessions()) === '1\n')
  assert.deepEqual(await desktop.getScreenSize(), { width: 1100, height: 700 })
})
