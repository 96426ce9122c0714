import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { World } from './world.ts'

const px = (value: number) => ({ type: 'px', value }) as const

export async function actions({ client, sandboxId }: World): Promise<void> {
  const click = { type: 'mouse:click', x: px(30), y: px(40), button: 1 } as const
  const done = await client.executeSandboxAction({
    sandboxId,
    body: { action: click, screenShotFormat: 'png' },
  })
  assert.deepEqual([done.cursorPosition?.x, done.cursorPosition?.y], [30, 40])
  const moved = await client.executeComputerUseAction({
    sandboxId,
    body: { action: { type: 'mouse:move', x: px(50), y: px(60) } },
  })
  assert.equal(moved.cursorPosition?.x, 50)
  const batch = await client.executeSandboxActions({
    sandboxId,
    body: { actions: [click, { type: 'keyboard:type', content: 'hi' }] },
  })
  assert.deepEqual(
    batch.results.map(({ success }) => success),
    [true, true],
  )
  const ran = await client.runModelText({
    sandboxId,
    body: { type: 'ui-tars', textContent: "Action: click(start_box='(100,100)')" },
  })
  assert.equal(ran.results.length, 1)
  const latest = async () => (await client.listSandboxActions({ sandboxId, limit: 1 })).actions[0]
  await waitFor(async () => (await latest())?.source === 'text')
  assert.equal((await latest())?.screenshotUrl, ran.screenShot)
  const preview = await client.previewSandbox({ sandboxId, body: { includeImage: true } })
  assert.ok(preview.image)
  const { control } = await client.setSandboxControl({ sandboxId, body: { holder: 'agent' } })
  assert.equal(control, 'agent')
}

export async function parsers({ client }: World): Promise<void> {
  const textContent = "Thought: There.\nAction: click(start_box='(100,100)')"
  assert.ok((await client.listParserTypes()).some(({ type }) => type === 'ui-tars'))
  const parsed = await client.parseModelTextOutput({ type: 'ui-tars', body: { textContent } })
  assert.equal(parsed.actions[0]?.type, 'mouse:click')
  const older = await client.parseModelOutput({ body: { model: 'ui-tars', textContent } })
  assert.deepEqual(older.actions, parsed.actions)
  const mobile = await client.parseMobileUseModelTextOutput({ type: 'ui-tars', body: { textContent } })
  assert.ok(mobile.actions.length > 0)
}
