import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { patienceMs } from '@sandglass/machines/testing'
import { denoBinary } from '../../packages/gateway/src/transports/quic/deno.ts'
import { eventsWhen } from '../../packages/server/src/testing/events-when.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { installClient } from '../support/client-package.ts'
import { node20 } from '../support/node-20.ts'
import { serveFolder } from '../support/serve-folder.ts'

const root = join(import.meta.dirname, '../..')
const { folder } = await installClient()
const origin = await serveFolder(folder)
const { service } = await startMachineService({ env: { SANDGLASS_CORS_ORIGINS: origin } })
const { url, orgId, apiKey } = service.service.credentials
const variables = { SANDGLASS_URL: url, SANDGLASS_ORG: orgId, SANDGLASS_API_KEY: apiKey }

const readme = await readFile(join(root, 'README.md'), 'utf8')
const [, example = ''] = /```js\n(import [\s\S]*?)```/.exec(readme) ?? []
/** The same with the form that deletes the sandbox at the end of the block. */
const disposing = example
  .replace('const box =', 'await using box =')
  .replace(/^await box\.delete\(\).*$/m, '')

/** Writes a program into the project, and returns its file. */
async function write(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

async function run(program: string, args: readonly string[], env: Record<string, string> = variables) {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: patienceMs,
  })
  return stdout
}

/** The example has printed what the machine says of itself and how large a screenshot was, and has left nothing. */
async function assertDone(printed: string): Promise<void> {
  assert.match(printed, /^Linux .*GNU\/Linux\s+image\/webp \d{3,}\s*$/)
  const newest = '~/events?types=sandbox.created,sandbox.deleted&order=newest'
  const [deleted, created] = await eventsWhen(service, newest, ([last]) => last?.type === 'sandbox.deleted')
  assert.deepEqual([created?.type, created?.subject], ['sandbox.created', deleted?.subject])
}

test("the README's first example runs on Node 24, with the credentials file of a service", async () => {
  await mkdir(join(folder, 'data'))
  await write('data/credentials.json', JSON.stringify({ url, orgId, apiKey }))
  assert.match(process.version, /^v24\./)
  await assertDone(await run(process.execPath, [await write('example.mjs', example)], {}))
  await assertDone(await run(process.execPath, [await write('disposing.mjs', disposing)], {}))
})

test("the README's first example runs on Node 20", async () => {
  const node = node20()
  assert.match(await run(node, ['--version']), /^v20\./)
  await assertDone(await run(node, [await write('example.mjs', example)]))
})

test('a program with `await using` runs on Node 20 if it is compiled', async () => {
  const options = '--ignoreConfig --noCheck --target es2022 --module nodenext'.split(' ')
  const tsc = join(root, 'node_modules/.bin/tsc')
  await run(tsc, [await write('compiled.mts', disposing), ...options])
  await assertDone(await run(node20(), [join(folder, 'compiled.mjs')]))
})

test('the command line of the package runs on Node 20', async () => {
  const cli = (...words: string[]) =>
    run(node20(), [join(folder, 'node_modules/.bin/sandglass'), ...words], { ...variables, HOME: folder })
  const id = (await cli('sandbox', 'create', '--shape', 'small')).trim()
  assert.equal(await cli('sandbox', 'exec', id, '--', 'sh', '-c', 'echo one; echo two'), 'one\ntwo\n')
  await write('note', 'kept')
  await cli('cp', 'note', `${id}:note`)
  await cli('cp', `${id}:note`, 'back')
  assert.equal(await readFile(join(folder, 'back'), 'utf8'), 'kept')
  await cli('screenshot', id, '-o', 'screen.png')
  assert.deepEqual((await readFile(join(folder, 'screen.png'))).subarray(1, 4), Buffer.from('PNG'))
  assert.match(await cli('sandbox', 'list', '-o', 'name'), new RegExp(id))
  await cli('sandbox', 'delete', id, '--yes')
})

test("the README's first example runs in Deno", async () => {
  const rights = ['--allow-net', '--allow-env', '--allow-read']
  const args = ['run', '--quiet', '--no-prompt', '--cached-only', ...rights]
  const env = { ...variables, DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' }
  await assertDone(await run(denoBinary() ?? '', [...args, await write('example.mjs', example)], env))
})

test("the README's first example runs in a page in Chromium, given the credentials", async () => {
  const given = example.replace(
    'Sandbox.create()',
    `Sandbox.create(${JSON.stringify({ url, orgId, apiKey })})`,
  )
  assert.notEqual(given, example)
  const map = JSON.stringify({ imports: { sandglass: '/node_modules/sandglass/index.js' } })
  await write('example.js', `${given}\ndocument.title = 'done'`)
  await write(
    'index.html',
    `<script type="importmap">${map}</script><script type="module" src="/example.js"></script>`,
  )
  const browser = await openBrowser()
  const page = await browser.newPage()
  const printed: string[] = []
  page.on('console', message => message.type() === 'log' && printed.push(message.text()))
  page.on('pageerror', error => printed.push(String(error)))
  await page.goto(`${origin}/index.html`)
  await page.waitForFunction("document.title === 'done'").catch(() => assert.fail(printed.join('\n')))
  await assertDone(printed.join('\n'))
})
