import assert from 'node:assert/strict'
import { before, test } from 'node:test'
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
import { waitFor } from '../../testing/wait-for.ts'

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
  await succeed(client, 'shell', { command: 'l3afpad note.txt >/dev/null 2>&1 &' })
  const search = { command: 'xdotool search --onlyvisible --name note.txt' }
  await waitFor(async () => (await use(client, 'shell', search)).structuredContent['exitCode'] === 0, 30_000)
  const opened = await act({ action: 'click', coordinate: [400, 300] })
  const typed = await act({ action: 'type', text: 'Grüße, 世界!' })
  assert.ok((await darkPixels(typed)) > (await darkPixels(opened)) + 100, 'the text is in the picture')
  await act({ action: 'keyPress', text: 'ctrl+s' })
  const view = { action: 'view', path: 'note.txt' }
  await waitFor(async () => textOf(await use(client, 'files', view)) === '1\tGrüße, 世界!')
})

/** Within the window of the editor. */
async function darkPixels(result: Result): Promise<number> {
  const { data } = await pixelsOf(result)
  let count = 0
  for (let at = 0; at < data.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3)
    if (red + green + blue > 0 && red + green + blue < 200) count++
  }
  return count
}
