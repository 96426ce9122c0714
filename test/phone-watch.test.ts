import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { testSimulators } from '../packages/machines/src/engines/adb/test-simulators.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startPhoneService } from './support/phone-service.ts'

const { simulators, dispose } = await testSimulators(1)
cleanup.defer(dispose)
const service = await startPhoneService(simulators.map(({ address }) => address))
const sandbox = `~/sandboxes/${await makeSandbox(service, { shapeName: 'pixel' })}`

function changes(path: string, signal?: AbortSignal): Promise<Response> {
  const { url, credentials } = service.service
  const query = new URLSearchParams({ path })
  return fetch(`${url}${service.expand(`${sandbox}/files/changes?${query}`)}`, {
    headers: { 'x-api-key': credentials.apiKey },
    ...(signal && { signal }),
  })
}

async function shell(script: string): Promise<string> {
  const { status, body } = await service.post(`${sandbox}/process`, {
    executable: 'sh',
    args: ['-c', script],
  })
  assert.equal(status, 200, JSON.stringify(body))
  return Buffer.from(body.stdoutBase64, 'base64').toString().trim()
}

const watching = () => shell("ps -eo args | grep -c '^inotifyd' || :")

test('changes in a folder of a phone are streamed over ADB until the caller disconnects', async () => {
  await shell("mkdir -p '/sdcard/a: b'")
  const stop = new AbortController()
  const answer = await changes('/sdcard/a: b', stop.signal)
  assert.equal(answer.status, 200)
  const events = answer.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail()
  let seen = ''
  const until = async (change: string, path: string) => {
    const expected = `data: ${JSON.stringify({ change, path, kind: 'file' })}\n\n`
    while (!seen.includes(expected)) {
      const { value, done } = await events.read()
      assert.ok(!done, seen)
      seen += value
    }
  }
  await shell("cd '/sdcard/a: b' && echo x > 'one file' && mv 'one file' two && rm two")
  await until('created', 'one file')
  await until('modified', 'one file')
  await until('removed', 'one file')
  await until('created', 'two')
  await until('removed', 'two')
  assert.equal(await watching(), '1')
  stop.abort()
  await waitFor(async () => (await watching()) === '0')
})

test('a watch ends with its folder, and one of a missing folder is refused', async () => {
  await shell('mkdir -p /sdcard/gone')
  const answer = await changes('/sdcard/gone')
  assert.equal(answer.status, 200)
  await shell('rmdir /sdcard/gone')
  assert.match(await answer.text(), /^: here\n\n/)
  const status = async (query: string) => (await service.get(`${sandbox}/files/changes?${query}`)).status
  assert.equal(await status('path=/sdcard/gone'), 404)
  assert.equal(await status('path=/sdcard&recursive=true'), 400)
  await waitFor(async () => (await watching()) === '0')
  await waitFor(async () => (await shell('ls -A /tmp | grep -c "^tmp" || :')) === '0')
})
