import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { Phone, Sandbox, Sandglass } from 'sandglass'
import { anthropicTools, vercelTools } from 'sandglass/tools'
import * as anthropic from '../examples/anthropic.ts'
import { watchSandbox } from '../examples/events.ts'
import { servePage } from '../examples/files-and-ports.ts'
import * as openai from '../examples/openai.ts'
import { usePhone } from '../examples/phone.ts'
import { scriptedAnthropic } from '../examples/scripted/anthropic.ts'
import { scriptedOpenai } from '../examples/scripted/openai.ts'
import { scriptedPhone } from '../examples/scripted/phone.ts'
import { scriptedVercel } from '../examples/scripted/vercel.ts'
import * as vercel from '../examples/vercel.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'

const { service } = await startMachineService({
  hasPhone: true,
  env: { SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.0/8' },
})
const client = new Sandglass(service.service.credentials)
const box = await Sandbox.create({ client, shape: 'small' })

const loops: [string, (file: string) => Promise<string>][] = [
  ['anthropic', file => anthropic.useComputer(box, 'Greet.', scriptedAnthropic(file))],
  ['openai', file => openai.useComputer(box, 'Greet.', scriptedOpenai(file))],
  ['vercel', file => vercel.useComputer(box, 'Greet.', scriptedVercel(file))],
]

for (const [style, loop] of loops)
  test(`a model of the style ${style} types into a terminal of the machine`, async () => {
    const file = `${style}.txt`
    assert.equal(await loop(file), 'The greeting is written.')
    await waitFor(async () => (await box.run(`cat ${file}`)).stdout === 'hello from the model\n')
    await box.run('pkill xterm')
  })

test('a model writes a note on a phone', async () => {
  await using phone = await Phone.create({ client, shape: 'phone' })
  const { definitions } = await anthropicTools(phone)
  assert.deepEqual(
    [definitions.map(tool => 'name' in tool && tool.name), Object.keys(await vercelTools(phone))],
    [['mobile-use'], ['mobile-use']],
  )
  assert.equal(await usePhone(phone, 'Write a note.', scriptedPhone('Buy milk')), 'The note is written.')
  await waitFor(async () =>
    /Buy milk/.test((await phone.run('cat /data/data/com.sandglass.notes/files/*')).stdout),
  )
})

test('a page of the machine is served', async () => {
  assert.equal(await servePage(box, '<h1>here</h1>'), '<h1>here</h1>')
  assert.equal(await box.files.readText('site/index.html'), '<h1>here</h1>')
})

test('events arrive as a stream and at a webhook', async () => {
  const { streamed, called } = await watchSandbox(client, 'small')
  for (const types of [streamed, called]) {
    assert.equal(types[0], 'sandbox.created')
    assert.ok(types.includes('sandbox.deleted'))
  }
})

test('the page about the examples names all of them', async () => {
  const folder = new URL('../examples/', import.meta.url)
  const page = await readFile(new URL('README.md', folder), 'utf8')
  for (const name of await readdir(folder))
    if (name.endsWith('.ts')) assert.ok(page.includes(`](${name})`), name)
})
