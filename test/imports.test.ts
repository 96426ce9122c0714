import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = new URL('..', import.meta.url).pathname

/** The allowed imports among our own packages. ARCHITECTURE.md explains why. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  parsers: ['protocol'],
  wire: [],
  supervision: [],
  rpc: [],
  machines: ['protocol', 'wire', 'supervision'],
  gateway: ['protocol', 'wire', 'supervision', 'machines'],
  mappings: ['protocol', 'machines'],
  workers: ['protocol', 'wire', 'supervision', 'rpc', 'machines', 'gateway', 'host'],
  host: ['rpc', 'machines'],
  doors: ['protocol', 'machines'],
  server: [
    'protocol',
    'parsers',
    'wire',
    'supervision',
    'rpc',
    'machines',
    'gateway',
    'mappings',
    'workers',
    'host',
    'doors',
  ],
  live: ['protocol', 'wire'],
  cli: ['protocol', 'client'],
  client: ['protocol'],
  dashboard: ['protocol', 'live', 'client'],
}

/** Packages that also run in a browser and therefore must not use Node. */
const browserSafe = new Set(['protocol', 'parsers', 'wire', 'live', 'dashboard'])

/**
 * The third-party packages that a package may use. Packages that are not listed may use what their package.json
 * lists.
 */
const thirdParties: Readonly<Record<string, readonly string[]>> = {
  protocol: ['zod'],
  parsers: [],
  wire: ['fflate'],
  supervision: [],
  mappings: ['undici', '@fastify/proxy-addr'],
  doors: [
    'zod',
    '@bufbuild/protobuf',
    '@bufbuild/protobuf/wkt',
    '@connectrpc/connect',
    '@connectrpc/connect/protocol',
    '@connectrpc/connect/protocol-connect',
    '@bufbuild/protobuf/codegenv2',
  ],
  live: [],
  client: ['fast-png', 'zod'],
}

/** Folders of the server, and what they must not import because it is built on them. */
const layersOfServer: readonly (readonly [folder: string, above: RegExp])[] = [
  ['records/', /^(http|machines|placement|modules)\//],
  ['audit/', /^(http|machines|placement|modules)\//],
  ['http/', /^(machines|modules)\//],
  ['machines/', /^(http|modules\/(?!shapes\/catalogue))/],
  ['modules/sandboxes/', /^modules\/live\//],
]

interface Import {
  readonly file: string
  readonly from: string
  readonly target: string
}

async function importsOfSources(): Promise<Import[]> {
  const found: Import[] = []
  for await (const file of glob('{apps,packages}/*/src/**/*.{ts,tsx}', { cwd: root })) {
    if (file.endsWith('.test.ts')) continue
    // Texts with quotes in them may show code to people.
    const source = (await readFile(join(root, file), 'utf8')).replaceAll(/"[^"\n]*"/g, '""')
    for (const [, target = ''] of source.matchAll(/(?<!')(?:from|import)\s*\(?\s*'([^']+)'/g))
      found.push({ file, from: file.split('/')[1] ?? '', target })
  }
  return found
}

const imports = await importsOfSources()

test('the sources contain imports', () => {
  assert.ok(imports.length > 100)
  assert.deepEqual(Object.keys(allowed).sort(), [...new Set(imports.map(({ from }) => from))].sort())
})

test('a package imports only the packages below it, by their names', () => {
  for (const { file, from, target } of imports) {
    const own = /^@sandglass\/(\w+)/.exec(target)?.[1]
    // Helpers of tests are callers of the service.
    if (own === 'client' && file.includes('/testing/')) continue
    if (own !== undefined) assert.ok(allowed[from]?.includes(own), `${file} imports ${target}`)
    if (target.startsWith('.')) {
      const [shelf = ''] = file.split('/')
      const inside = relative(join(shelf, from), join(dirname(file), target))
      assert.ok(!inside.startsWith('..'), `${file} reaches out of its package: ${target}`)
    }
  }
})

test('packages for the browser use nothing of Node, and few third parties', () => {
  for (const { file, from, target } of imports) {
    if (browserSafe.has(from)) assert.ok(!target.startsWith('node:'), `${file} imports ${target}`)
    const thirdParty =
      !target.startsWith('.') && !target.startsWith('node:') && !target.startsWith('@sandglass/')
    const few = thirdParties[from]
    if (thirdParty && few) assert.ok(few.includes(target), `${file} imports ${target}`)
  }
})

test("only an engine's own folder names a concrete engine, and only the registry names the folders", () => {
  for (const { file, from, target } of imports) {
    if (from !== 'server') continue
    const path = file.slice('packages/server/src/'.length)
    if (/^@sandglass\/machines\/(?!contract|actions|testing)/.test(target))
      assert.match(path, /^(engines\/\w+\/|testing\/test-machines\.ts$)/, `${file} imports ${target}`)
    const folder = /(?:^|\/)(?:engines|\.)\/(\w+)\/definition\.ts$/.exec(target)?.[1]
    if (folder) assert.equal(path, 'engines/registry.ts', `${file} imports ${target}`)
  }
})

test('the live view, the mappings and the doors know machines only by their contract', () => {
  for (const { file, from, target } of imports)
    if (['gateway', 'mappings', 'doors'].includes(from) && target.startsWith('@sandglass/machines'))
      assert.equal(target, '@sandglass/machines/contract', `${file} imports ${target}`)
})

test('modules of the server reach each other by service and store, never by routes', () => {
  for (const { file, target } of imports) {
    const module = /modules\/([\w-]+)\//.exec(file)?.[1]
    const other = /^\.\.\/([\w-]+)\/routes\.ts$/.exec(target)?.[1]
    if (module && other) assert.fail(`${file} imports the routes of ${other}`)
  }
})

test('the layers of the server import only those below them', () => {
  const server = imports.filter(({ from }) => from === 'server')
  const folderOf = (file: string) => relative('packages/server/src', file)
  for (const { file, target } of server) {
    if (!target.startsWith('.')) continue
    const [from, to] = [folderOf(file), folderOf(join(dirname(file), target))]
    for (const [layer, above] of layersOfServer)
      assert.ok(!(from.startsWith(layer) && above.test(to)), `${file} imports ${target}`)
  }
})
