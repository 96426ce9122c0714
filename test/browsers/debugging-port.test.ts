import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { chromium } from 'playwright-core'
import { z } from 'zod'
import { startDesktop } from './desktop.ts'

const { box } = await startDesktop()
const origin = 'http://127.0.0.1:8000'
const { wsUrl, httpUrl } = await box.browser.cdp()
const browser = await chromium.connectOverCDP(wsUrl, { timeout: patienceMs })
const [context = assert.fail('there is no context')] = browser.contexts()
context.setDefaultTimeout(patienceMs)

const { stdout } = await box.run('grep -om 1 "127.0.0.1:[0-9]*" ~/.config/sandglass-browser/log')
const port = Number(stdout.split(':')[1])
/** A port that browsers connect to. */
const usual = 8001
/** One that is refused for the same reason as the debugging port, where somebody listens who counts. */
const refused = 6666

/** What a page can do to call a port, as expressions. Each settles when the browser has decided about it. */
const attempts = {
  fetch: `fetch('http://127.0.0.1:PORT/json/fetch')`,
  'no-cors': `fetch('http://127.0.0.1:PORT/json/no-cors', { mode: 'no-cors', method: 'POST', body: 'x' })`,
  PUT: `fetch('http://localhost:PORT/json/new?put', { method: 'PUT' })`,
  redirect: `fetch('/redirect?http://127.0.0.1:PORT/json/redirect', { mode: 'no-cors' })`,
  WebSocket: `new Promise((resolve, reject) => {
    const socket = new WebSocket('ws://127.0.0.1:PORT/devtools/browser/web-socket')
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('it was refused'))
  })`,
  EventSource: `new Promise((resolve, reject) => {
    const events = new EventSource('http://127.0.0.1:PORT/json/events')
    events.onopen = resolve
    events.onerror = () => reject(new Error('it was refused'))
  })`,
  image: `new Promise(resolve => {
    const image = new Image()
    image.onload = image.onerror = resolve
    image.src = 'http://127.0.0.1:PORT/json/image'
  })`,
  script: `new Promise(resolve => {
    const script = document.createElement('script')
    script.onload = script.onerror = resolve
    script.src = 'http://127.0.0.1:PORT/json/script'
    document.head.append(script)
  })`,
  iframe: `new Promise(resolve => {
    const frame = document.createElement('iframe')
    frame.onload = frame.onerror = resolve
    frame.src = 'http://127.0.0.1:PORT/json/iframe'
    document.body.append(frame)
  })`,
  worker: `new Promise((resolve, reject) => {
    const code = "fetch('http://127.0.0.1:PORT/json/worker').then(() => postMessage(true), () => postMessage(false))"
    const worker = new Worker(URL.createObjectURL(new Blob([code])))
    worker.onmessage = ({ data }) => (data ? resolve() : reject(new Error('it was refused')))
  })`,
  beacon: `navigator.sendBeacon('http://127.0.0.1:PORT/json/beacon')`,
}
type Name = keyof typeof attempts
const names = Object.keys(attempts) as Name[]

/** Lets a page in the browser make an attempt. Returns whether the page was told that it succeeded. */
async function attempt(name: Name, to: number): Promise<boolean> {
  const page = await context.newPage()
  await page.goto(origin)
  // What an attempt returns cannot leave the page.
  const expression = `Promise.resolve(${attempts[name].replaceAll('PORT', String(to))}).then(() => {})`
  const result = await page.evaluate(expression).then(
    () => true,
    () => false,
  )
  await page.close()
  return result
}

const Calls = z.record(z.string(), z.array(z.string()))
const callsOf = async (asked: number) =>
  Calls.parse(JSON.parse((await box.run(`curl -s ${origin}/calls`)).stdout))[String(asked)] ?? []

for (const name of names)
  test(`a page does not reach the debugging port with ${name}, which reaches other ports`, async () => {
    const { length } = await callsOf(usual)
    await attempt(name, usual)
    // The attempt is a real one.
    await waitFor(async () => (await callsOf(usual)).length > length)
    await attempt(name, refused)
    assert.deepEqual(await callsOf(refused), [])
    const told = await attempt(name, port)
    // Images, scripts, frames and beacons report no difference to the page.
    if (!['image', 'script', 'iframe', 'beacon'].includes(name)) assert.equal(told, false)
  })

test('a page cannot lead its window, or another one, to the debugging port', async () => {
  const page = await context.newPage()
  await page.goto(origin)
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(`void window.open('http://127.0.0.1:${port}/json/list')`),
  ])
  await popup.waitForURL('chrome-error://chromewebdata/')
  const navigate = `location.assign('http://127.0.0.1:${port}/json/list')`
  const submit = `{
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', action: 'http://127.0.0.1:${port}/json/new' })
    document.body.append(form)
    form.submit()
  }`
  for (const script of [navigate, submit]) {
    const leaving = await context.newPage()
    await leaving.goto(origin)
    const [request] = await Promise.all([leaving.waitForEvent('requestfailed'), leaving.evaluate(script)])
    assert.equal(request.failure()?.errorText, 'net::ERR_UNSAFE_PORT')
  }
})

test('none of all this has reached a port that browsers refuse', async () => {
  assert.deepEqual(await callsOf(refused), [])
})

test('the port listens on the loopback only, and refuses a foreign Host and the Origin of a page by itself', async () => {
  const { stdout: listening } = await box.run(`ss -Hltn sport = :${port}`)
  assert.deepEqual(
    listening
      .trim()
      .split('\n')
      .map(line => line.split(/\s+/)[3]),
    [`127.0.0.1:${port}`],
  )
  const status = async (...flags: string[]) =>
    (await box.run(['curl', '-s', '-m', '20', '-o', '/dev/null', '-w', '%{http_code}', ...flags])).stdout
  const version = `http://127.0.0.1:${port}/json/version`
  assert.equal(await status(version), '200')
  assert.notEqual(await status('-H', 'Host: evil.example', version), '200')
  const { webSocketDebuggerUrl } = (await (await fetch(`${httpUrl}/json/version`)).json()) as Record<
    string,
    string
  >
  const path = new URL(webSocketDebuggerUrl ?? '').pathname.replace(/^.*(?=\/devtools\/)/, '')
  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ]
  const headers = upgrade.flatMap(header => ['-H', header])
  assert.equal(await status(...headers, '-H', `Origin: ${origin}`, `http://127.0.0.1:${port}${path}`), '403')
})
