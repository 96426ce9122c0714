import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'

/** `await using` is newer than the library that a project has by default. */
const disposable = '/// <reference lib="esnext.disposable" />\n'

/** The compiler leaves files out at times, without saying so. */
const attempts = 5

/**
 * Writes the declarations of the client, and of the protocol from which its types are derived. They name each other by the paths
 * that they have in the published package.
 */
export async function declareTypes(root: string, outDir: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await compile(root, outDir)
    await renameModules(root, outDir)
    const missing = await missingFrom(outDir)
    if (missing.length === 0) return
    if (attempt === attempts) throw new Error(`The compiler has not written ${missing.join(', ')}.`)
  }
}

async function compile(root: string, outDir: string): Promise<void> {
  const project = join(root, 'packages/client/tsconfig.types.json')
  const tsc = spawn(join(root, 'node_modules/.bin/tsc'), ['--project', project, '--outDir', outDir], {
    stdio: 'inherit',
  })
  const [code] = await once(tsc, 'exit')
  if (code !== 0) throw new Error('The types of the client could not be declared.')
}

async function renameModules(root: string, outDir: string): Promise<void> {
  const modules = await modulesOf(join(root, 'packages/protocol/package.json'))
  for await (const file of glob('**/*.d.ts', { cwd: outDir })) {
    const path = join(outDir, file)
    const text = (await readFile(path, 'utf8'))
      .replaceAll(/(['"])@sandglass\/protocol(\/\w+)?\1/g, (_, _quote, name = '') => {
        return `'${relative(dirname(file), join('protocol', modules[`.${name}`] ?? ''))}'`
      })
      .replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, "'$2.js'")
    await writeFile(path, file.startsWith('client/') ? disposable + text : text)
  }
}

/** The declarations that others name, and that are not there. */
async function missingFrom(outDir: string): Promise<string[]> {
  const named = new Set<string>()
  for await (const file of glob('**/*.d.ts', { cwd: outDir })) {
    const text = await readFile(join(outDir, file), 'utf8')
    for (const [, module = ''] of text.matchAll(/['"](\.{1,2}\/[^'"\n]+)\.js['"]/g))
      named.add(join(dirname(file), `${module}.d.ts`))
  }
  return [...named].filter(file => !existsSync(join(outDir, file)))
}

/** The files of what a package exports. */
async function modulesOf(manifest: string): Promise<Readonly<Record<string, string>>> {
  return z
    .object({ exports: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile(manifest, 'utf8'))).exports
}
