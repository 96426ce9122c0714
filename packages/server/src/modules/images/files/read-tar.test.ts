import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { readTar } from './read-tar.ts'
import { blockBytes, paddingOf, readTarHeader, tarHeader } from './tar-entry.ts'

const entry = (name: string, content: string) =>
  Buffer.concat([
    tarHeader(name, content.length),
    Buffer.from(content),
    Buffer.alloc(paddingOf(content.length)),
  ])

async function* chunks(data: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size)
}

async function read(data: Buffer, size = 100): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { name, content } of readTar(chunks(data, size))) found[name] = await text(content)
  return found
}

const end = Buffer.alloc(2 * blockBytes)

test('files are read whatever pieces the archive arrives in', async () => {
  const archive = Buffer.concat([
    entry('a', 'first'),
    entry('b/c', 'x'.repeat(2000)),
    entry('empty', ''),
    end,
  ])
  for (const size of [1, 511, 512, 100_000])
    assert.deepEqual(await read(archive, size), { a: 'first', 'b/c': 'x'.repeat(2000), empty: '' })
})

test('content that is not read is skipped', async () => {
  const names: string[] = []
  const archive = Buffer.concat([entry('a', 'first'), entry('b', 'second'), end])
  for await (const { name } of readTar(chunks(archive, 7))) names.push(name)
  assert.deepEqual(names, ['a', 'b'])
})

test('an archive that is damaged or ends early is an error', async () => {
  const archive = Buffer.concat([entry('a', 'first'), end])
  await assert.rejects(read(archive.subarray(0, 700)), /ends too early/)
  await assert.rejects(read(archive.subarray(0, 1024)), /ends too early/)
  await assert.rejects(read(Buffer.concat([Buffer.from('b'), archive.subarray(1)])), /damaged/)
})

test('sizes beyond 8 GiB are written and read', () => {
  for (const size of [0, 8 ** 11 - 1, 8 ** 11, 2 ** 45])
    assert.deepEqual(readTarHeader(tarHeader('large', size)), { name: 'large', size, type: '0' })
})
