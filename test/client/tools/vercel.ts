import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type VercelTool, vercelTools } from '@sandglass/client/tools'
import { box, pointer, sizeOf } from './watched-desktop.ts'

describe('Vercel', () => {
  let tools: Record<string, VercelTool>
  before(async () => {
    tools = await vercelTools(box, { longestSide: 800 })
  })

  test('tools carry their schema, perform calls and convert what came of them', async () => {
    assert.deepEqual(Object.keys(tools), ['computer-use', 'shell', 'files'])
    const computer = tools['computer-use']
    assert.ok(computer)
    const output = await computer.execute({ action: 'move', coordinate: [100, 100] })
    assert.deepEqual(await pointer(), [201, 201])
    const told = computer.toModelOutput({ output })
    assert.ok(told.type === 'content')
    const image = told.value[1]
    assert.ok(image?.type === 'image-data')
    assert.deepEqual([image.mediaType, ...(await sizeOf(image.data))], ['image/webp', 800, 450])
    const failed = await computer.execute({ action: 'click', coordinate: [800, 0] })
    assert.deepEqual(computer.toModelOutput({ output: failed }).type, 'error-text')
    assert.match(failed.text, /800 wide and 450 high/)
  })

  test('a call ends when its signal is aborted', async () => {
    const stop = new AbortController()
    const waiting = tools['shell']?.execute({ command: 'sleep 60' }, { abortSignal: stop.signal })
    stop.abort(new Error('stopped by the caller'))
    await assert.rejects(async () => waiting, /stopped by the caller/)
  })
})
