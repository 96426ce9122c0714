import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, glob, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compiledCodeOf } from '../packages/server/src/host/compiled-code.ts'

/**
 * Stores the compiled code of the service, so that it starts faster. Processes without rights use it too, which must not
 * write what others run.
 */
const root = join(import.meta.dirname, '..')
const folder = compiledCodeOf(root)

if (await isStale()) await compile()

async function isStale(): Promise<boolean> {
  const made = await stat(folder).catch(() => undefined)
  if (!made) return true
  for await (const file of glob(['package-lock.json', 'packages/*/src/**/*.ts'], { cwd: root }))
    if ((await stat(join(root, file))).mtimeMs > made.mtimeMs) return true
  return false
}

async function compile(): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const made = await mkdtemp(`${folder}-`)
  try {
    const program = join(root, 'packages/server/src/host/load-confined-code.ts')
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, NODE_COMPILE_CACHE: made },
      stdio: 'inherit',
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error('The code could not be compiled.')
    await chmod(made, 0o755)
    for (const entry of await readdir(made, { recursive: true, withFileTypes: true }))
      await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
    await rm(folder, { recursive: true, force: true })
    await rename(made, folder)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}
