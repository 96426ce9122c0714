import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { buildImage } from '@sandglass/machines/images'
import { LocalEngine } from '@sandglass/machines/local'
import { freePort } from '@sandglass/machines/testing'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { testImages } from '../packages/server/src/testing/test-machines.ts'
import { newCheckout } from './guide/support/new-checkout.ts'
import { endService } from './support/end-service.ts'
import { node18 } from './support/node-18.ts'
import { node20 } from './support/node-20.ts'

const root = join(import.meta.dirname, '..')
const readme = await readFile(join(root, 'README.md'), 'utf8')

/** What is pasted to try it, up to the commands for those who change it. */
const commands = readme
  .slice(0, readme.indexOf('## Test it'))
  .matchAll(/```sh\n(.*?)```/gs)
  .map(([, block = '']) => block)
  .toArray()

/** Runs the commands of the README as a person pastes them, and returns what they print. */
async function paste(folder: string, env: Readonly<Record<string, string>>, node: string): Promise<string> {
  const PATH = `${dirname(node)}:${process.env['PATH']}`
  const script = `${commands.join('\n')}\nnode --version\n`
  const options = { cwd: folder, env: { ...env, PATH, HOME: folder } }
  const running = promisify(execFile)('bash', ['-e', '-c', script], options)
  return (await running).stdout
}

test('everything in the README can be pasted in order, on Node 18, 20 and 24', async () => {
  await buildImage('desktop', { imagesDir: testImages })
  const folder = await newCheckout()
  const data = join(folder, 'data')
  const engine = new LocalEngine({ dataDir: join(data, 'local'), imagesDir: testImages, uplink: 'none' })
  cleanup.defer(() => engine.dismantle())
  cleanup.defer(() => endService(data))
  const env = {
    SANDGLASS_PORT: String(await freePort()),
    SANDGLASS_LIVE_UDP_PORT: 'none',
    SANDGLASS_VMS: 'off',
    SANDGLASS_UPLINK: 'none',
    SANDGLASS_IMAGES: testImages,
    SANDGLASS_DISK_OVERCOMMIT: '10',
  }
  const [, expected = ''] = /```json\n(.*)\n```/.exec(readme) ?? []
  for (const [node, version] of [
    [node18(), 'v18'],
    [node20(), 'v20'],
    [process.execPath, 'v24'],
  ] as const) {
    const printed = await paste(folder, env, node)
    assert.match(printed, /^Linux sandbox-\w+ /m)
    assert.match(printed, /^http:\S+\/view\S*$/m)
    // The MCP server that the first round made is still there in the others.
    assert.match(printed, new RegExp(expected.replace(/[{}]/g, '\\$&').replace('s":0', 's":[01]')))
    assert.match(printed, /"mcpServers"[\s\S]*\/api\/mcp\//)
    assert.match(printed, new RegExp(`^${version}\\.`, 'm'))
    assert.deepEqual(
      [...(await readFile(join(folder, 'screen.png'))).subarray(1, 4)],
      [...Buffer.from('PNG')],
    )
    assert.match(await readFile(join(data, 'env'), 'utf8'), /^export SANDGLASS_API_KEY='sgk_/m)
  }
})

test('every page that the README names exists', async () => {
  for (const [, path = ''] of readme.matchAll(/\]\(([\w/.-]+)\)/g))
    await assert.doesNotReject(readFile(join(root, path)), path)
})
