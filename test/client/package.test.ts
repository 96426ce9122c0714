import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { installClient } from '../support/client-package.ts'
import { node20 } from '../support/node-20.ts'

const root = join(import.meta.dirname, '../..')
const { folder } = await installClient()
const installed = join(folder, 'node_modules/sandglass')
const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
/** What a program can import. */
const modules = Object.keys(manifest.exports)
  .filter(path => path !== './package.json')
  .map(path => join(manifest.name, path))
const exec = promisify(execFile)

test('the package depends on nothing but zod, which programs that import it do not load', async () => {
  const { name, version, dependencies } = manifest
  const repository = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  assert.deepEqual([name, version], ['sandglass', repository.version])
  assert.deepEqual(Object.keys(dependencies), ['zod'])
  assert.deepEqual([Object.keys(manifest.bin), modules], [['sandglass'], ['sandglass', 'sandglass/tools']])
  for (const file of await filesBehind('index.js')) {
    const code = await readFile(join(installed, file), 'utf8')
    assert.doesNotMatch(code, /zod|@sandglass\//i, file)
    assert.doesNotMatch(code, /^import .* from "node:|\bBuffer\b/m, `${file} uses what only Node has`)
  }
})

/** A file and all that it imports. */
async function filesBehind(first: string): Promise<ReadonlySet<string>> {
  const files = new Set([first])
  for (const file of files) {
    const code = await readFile(join(installed, file), 'utf8')
    for (const [, path = ''] of code.matchAll(/(?:from|import) ?\(?"(\.[^"]+)"/g))
      files.add(join(dirname(file), path))
  }
  return files
}

test('nothing of the package is a source or a test', async () => {
  for await (const file of glob('**/*', { cwd: installed }))
    assert.doesNotMatch(file, /(?<!\.d)\.ts$|\.test\./, file)
})

for (const node of [process.execPath, node20()])
  test(`everything can be imported, and commands run, on ${node === node20() ? 'Node 20' : 'Node 24'}`, async () => {
    const script = `
      ${modules.map((path, i) => `import * as module${i} from '${path}'`).join('\n')}
      const errors = Object.entries(module0).filter(([name]) => name.endsWith('Error'))
      console.log(JSON.stringify(errors.map(([name, own]) => [name, own.name])))`
    const { stdout } = await exec(node, ['--input-type=module', '--eval', script], { cwd: folder })
    // Errors carry the names of their classes.
    for (const [name, own] of JSON.parse(stdout)) assert.equal(own, name)
    assert.match(stdout, /NotFoundError/)
    for (const command of Object.keys(manifest.bin ?? {})) {
      const file = join(folder, 'node_modules/.bin', command)
      assert.match(
        (await exec(node, [file, '--version'], { cwd: folder })).stdout,
        new RegExp(manifest.version),
      )
    }
  })

/** Lines that must compile, and lines with an error that must be one. */
const program = `
${modules.map((path, i) => `import type * as module${i} from '${path}'`).join('\n')}
import { NotFoundError, type Output, Sandbox, Sandglass } from 'sandglass'

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const client = new Sandglass({ url: 'http://localhost:4780' })
const sandbox = await client.createSandbox({ body: { shapeName: 'small' } })
export const exact: [Is<typeof sandbox.id, string>, Is<Awaited<Output<'deleteSandbox'>>, undefined>] = [true, true]
export const notAny: Is<Awaited<Output<'createSandbox'>>, any> = false
export const code: string = new NotFoundError('gone', { code: 'sandbox.NOT_FOUND' }).code
await using box = await Sandbox.create({ client })
export const shot: Uint8Array = (await box.screenshot()).bytes
export const clicks: Is<Awaited<ReturnType<typeof box.mouse.click>>, any> = false
for await (const event of client.stream('listEvents')) console.log(event.type satisfies string)
export type Everything = [${modules.map((_, i) => `typeof module${i}`).join(', ')}]
// @ts-expect-error: an id is no number.
export const wrong: number = sandbox.id
// @ts-expect-error: which sandbox?
await client.getSandbox()
// @ts-expect-error: there is no such operation.
await client.openTheWindow()
`

const options = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022' }
const projects = {
  Node: {
    module: 'nodenext',
    lib: ['es2022'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
  'a browser': { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
}

for (const [where, compilerOptions] of Object.entries(projects))
  test(`a strict TypeScript project for ${where} gets the types of every operation`, async () => {
    const project = join(folder, `tsconfig.${compilerOptions.module}.json`)
    await writeFile(join(folder, 'program.ts'), program)
    await writeFile(
      project,
      JSON.stringify({ compilerOptions: { ...options, ...compilerOptions }, files: ['program.ts'] }),
    )
    const check = () => exec(join(root, 'node_modules/.bin/tsc'), ['--project', project])
    await check().catch(({ stdout }) => assert.fail(stdout))
    await writeFile(join(folder, 'program.ts'), program.replaceAll('// @ts-expect-error', '//'))
    await assert.rejects(check(), ({ stdout }: { stdout: string }) => {
      assert.deepEqual(
        [...stdout.matchAll(/error (TS\d+)/g)].map(([, code]) => code),
        ['TS2322', 'TS2554', 'TS2339'],
      )
      return true
    })
  })
