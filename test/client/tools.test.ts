import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropicTools, openaiTools } from '@sandglass/client/tools'
import { anthropicRequest, openaiRequest, refusals } from './tools/schemas.ts'
import { box, client } from './tools/watched-desktop.ts'
import './tools/anthropic.ts'
import './tools/openai.ts'
import './tools/vercel.ts'

test('definitions are what the vendors document', async () => {
  for (const computer of [
    'computer_toolset_20260801',
    'computer_20251124',
    'computer_20250124',
    'function',
  ] as const) {
    const { definitions, betas } = await anthropicTools(box, { computer })
    assert.deepEqual(refusals(anthropicRequest, { tools: definitions, betas }), [])
  }
  for (const computer of ['computer', 'computer_use_preview', 'function'] as const) {
    const { definitions } = await openaiTools(box, { computer })
    assert.deepEqual(refusals(openaiRequest, { tools: definitions }), [])
  }
  const few = await openaiTools(box, { shell: false, files: false })
  assert.deepEqual(few.definitions, [{ type: 'computer' }])
})

test('a failure about which a model can do nothing ends the loop', async () => {
  const gone = await client.createSandbox({ body: { shapeName: 'small', wait: 60 } })
  const tools = await openaiTools({ id: gone.id, client })
  await client.deleteSandbox({ sandboxId: gone.id })
  const call = { type: 'computer_call', call_id: 'x', actions: [{ type: 'screenshot' }] }
  await assert.rejects(tools.run([call]), { code: 'sandbox.NOT_FOUND' })
})
