import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { recordCalls } from '../../../packages/server/src/testing/e2b-calls/record-calls.ts'
import { startDesktop } from './start-desktop.ts'

recordCalls(import.meta.filename)

const { desktop, box } = await startDesktop({ display: ':7' })

/** The windows as our own API sees them. */
const windows = async () => (await box.run('wmctrl -lx')).stdout
const opens = (title: RegExp) => waitFor(async () => title.test(await windows()))

test('another display is the visible one as well, with the usual size of a virtual screen', async () => {
  assert.deepEqual(await desktop.getScreenSize(), { width: 1024, height: 768 })
  assert.equal((await desktop.commands.run('echo $DISPLAY')).stdout, ':7\n')
  const { height } = await box.screenshot()
  assert.equal(height, 768)
})

test('a command is repeated until its result is the one that is awaited', async () => {
  const command = 'echo >> counted; wc -l < counted'
  assert.equal(await desktop.waitAndVerify(command, ({ stdout }) => stdout === '3\n', 60, 0.01), true)
  assert.equal(await desktop.waitAndVerify('echo never', ({ stdout }) => stdout === 'now', 0.1, 0.01), false)
})

test('an application is launched, typed into, and found by its window', async () => {
  await desktop.launch('org.xfce.mousepad', '/home/user/note.txt')
  await opens(/mousepad.*note\.txt/i)
  await waitFor(async () => {
    const { stdout } = await desktop.commands.run('xdotool getwindowfocus getwindowname || true')
    return stdout.includes('note.txt')
  })
  const text = `It's "quoted" & costs $5; ${'long '.repeat(10)}`
  await desktop.write(text)
  await desktop.press('enter')
  await desktop.write('second line', { chunkSize: 4, delayInMs: 10 })
  await desktop.press(['ctrl', 's'])
  const saved = () => desktop.files.read('/home/user/note.txt').catch(() => '')
  await waitFor(async () => (await saved()).includes('second line'))
  assert.equal((await saved()).trimEnd(), `${text}\nsecond line`)

  const current = await desktop.getCurrentWindowId()
  assert.match(await desktop.getWindowTitle(current), /note\.txt - Mousepad/)
  const found = await desktop.getApplicationWindows('mousepad')
  assert.ok(found.length > 0)
  const titles = await Promise.all(found.map(id => desktop.getWindowTitle(id)))
  assert.ok(titles.some(title => title.includes('note.txt')))
  await desktop.press(['alt', 'f4'])
  await waitFor(async () => !(await windows()).includes('note.txt'))
})

test('a file opens in the program for its kind, and a page in the browser', async () => {
  await desktop.files.write('/home/user/list.txt', 'one\ntwo\n')
  await desktop.open('/home/user/list.txt')
  await opens(/mousepad.*list\.txt/i)
  await desktop.files.write('/home/user/page.html', '<title>The page</title>')
  await desktop.open('file:///home/user/page.html')
  await opens(/chromium.*The page/i)
})

test('the browser has the name that it has elsewhere', async () => {
  await box.run('pkill -f /usr/lib/chromium; true')
  await waitFor(async () => !/chromium/i.test(await windows()))
  await desktop.files.write('/home/user/other.html', '<title>The other page</title>')
  await desktop.launch('google-chrome', 'file:///home/user/other.html')
  await opens(/The other page/)
  const [window = ''] = await desktop.getApplicationWindows('google-chrome')
  assert.match(await desktop.getWindowTitle(window), /^The other page/)
})
