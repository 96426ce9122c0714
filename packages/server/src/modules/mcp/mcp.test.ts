import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { McpServer } from '@sandglass/protocol'
import {
  assistant,
  madeServer,
  olderAssistant,
  pixelsOf,
  type Result,
  succeed,
  textOf,
  use,
} from '../../testing/assistant.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService()
let server: McpServer
before(async () => {
  server = await madeServer(service)
})

const usual = ['computer-use', 'shell', 'files', 'open-url', 'user-takeover']

const clients = {
  'the current client': () => assistant(service, server.id),
  'the current client with sessions': () => assistant(service, server.id, { mode: 'legacy' }),
  'the client of the 1.x line': () => olderAssistant(service, server.id),
}

for (const [name, connect] of Object.entries(clients)) {
  test(`${name} lists the tools`, async () => {
    const client = await connect()
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(tool => tool.name),
      usual,
    )
    for (const { inputSchema, description } of tools) {
      assert.equal(inputSchema.type, 'object')
      assert.ok(description)
    }
  })

  test(`${name} takes a picture of the screen`, async () => {
    const client = await connect()
    await client.listTools()
    const result = await succeed(client, 'computer-use', { action: 'screenShot' })
    const { width, height, mimeType } = await pixelsOf(result)
    assert.deepEqual([width, height, mimeType], [1280, 720, 'image/webp'])
    assert.match(textOf(result), /1280x720/)
    assert.deepEqual(result.structuredContent['picture'], { width: 1280, height: 720 })
  })
}

test('an assistant opens a program, types into it, and reads the result from the picture', async () => {
  const client = await assistant(service, server.id)
  const act = (args: object) => succeed(client, 'computer-use', args)
  const shell = async (command: string) =>
    String((await succeed(client, 'shell', { command })).structuredContent['stdout'])
  await shell('l3afpad note.txt >/dev/null 2>&1 &')
  await waitFor(async () => /note\.txt/.test(await shell('xdotool getactivewindow getwindowname')))
  const geometry = await shell('xdotool getactivewindow getwindowgeometry --shell')
  const of = (name: string) => Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(geometry)?.[1])
  const middle = [of('X') + of('WIDTH') / 2, of('Y') + of('HEIGHT') / 2]
  const opened = await act({ action: 'click', coordinate: middle })
  await act({ action: 'type', text: 'Grüße, 世界!' })
  await waitFor(async () => (await difference(opened, await act({ action: 'screenShot' }))) > 100)
  await act({ action: 'keyPress', text: 'ctrl+s' })
  const view = { action: 'view', path: 'note.txt' }
  await waitFor(async () => textOf(await use(client, 'files', view)) === '1\tGrüße, 世界!')
})

/** Counts the pixels in which two pictures differ. */
async function difference(one: Result, other: Result): Promise<number> {
  const [a, b] = await Promise.all([pixelsOf(one), pixelsOf(other)])
  let count = 0
  for (let at = 0; at < a.data.length; at += 3)
    if (!a.data.subarray(at, at + 3).equals(b.data.subarray(at, at + 3))) count++
  return count
}
