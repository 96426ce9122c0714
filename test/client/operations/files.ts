import assert from 'node:assert/strict'
import type { World } from './world.ts'

export async function files({ client, sandboxId }: World): Promise<void> {
  const read = async (path: string) => (await client.readSandboxFile({ sandboxId, path })).text()
  await client.makeSandboxFolder({ sandboxId, body: { path: 'letters' } })
  const name = 'ä ?#%.txt'
  const write = () => client.writeSandboxFile({ sandboxId, path: `letters/${name}`, body: 'Dear Ada' })
  await write()
  // The watch may begin after a write, so there are several.
  const writing = setInterval(() => void write().catch(() => {}), 500)
  try {
    for await (const { path } of client.watchSandboxFiles({ sandboxId, path: 'letters' }))
      if (path === name) break
  } finally {
    clearInterval(writing)
  }
  assert.equal(await read(`letters/${name}`), 'Dear Ada')
  assert.equal((await client.statSandboxFile({ sandboxId, path: `letters/${name}` })).size, 8)

  const form = new FormData()
  form.append('file', new Blob(['uploaded']), 'note.txt')
  await client.uploadSandboxFiles({ sandboxId, path: 'letters', body: form })
  await client.moveSandboxFile({ sandboxId, body: { from: 'letters/note.txt', to: 'letters/moved.txt' } })
  const at = (path: string) => ({ type: 'sandboxFileLocation' as const, path })
  const { results } = await client.copyFilesWithSandbox({
    sandboxId,
    body: { files: [{ src: at('letters/moved.txt'), dest: at('letters/copied.txt') }] },
  })
  assert.ok(
    results.every(({ success }) => success),
    JSON.stringify(results),
  )
  assert.equal(await read('letters/copied.txt'), 'uploaded')
  const listed = await Array.fromAsync(
    client.all('listSandboxFiles', { sandboxId, path: 'letters', limit: 2 }),
  )
  assert.deepEqual(listed.map(entry => entry.name).sort(), ['copied.txt', 'moved.txt', name])
  await client.removeSandboxFile({ sandboxId, path: 'letters' })
  await assert.rejects(client.statSandboxFile({ sandboxId, path: 'letters' }), { code: 'file.NOT_FOUND' })
}
