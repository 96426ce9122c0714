import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { upgradeCluster } from './backups/upgrade-cluster.ts'
import { DataDirectory } from './data-directory.ts'
import { postgresHome } from './db/embedded/binaries.ts'
import { majorOfCluster, majorOfPrograms, upgradedName } from './db/embedded/cluster.ts'
import { earlierPrograms } from './db/embedded/earlier-programs.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { frontOf } from './host/front-record.ts'
import { viewOf } from './host/front-view.ts'
import { launchFront } from './host/launch-front.ts'
import { embeddedFolder } from './service-database.ts'
import type { Environment } from './setting-table.ts'
import { filesOfSettings, readSettings, type Settings } from './settings.ts'

const usage = `npm run upgrade-database                      copies the embedded database of an earlier PostgreSQL into one of the installed PostgreSQL
npm run upgrade-database -- --programs <dir>  uses the earlier PostgreSQL in this folder, which has bin/postgres, and not one from npm
Stop the service before, and run this as the user that you start it with. It can be repeated. See docs/backup.md.`

const checkout = resolve(import.meta.dirname, '../../..')

/** `npm run upgrade-database`. */
try {
  const { programs, help } = readArguments()
  if (help) console.log(usage)
  else {
    const env = readEnvironment(process.env)
    await start(readSettings(env), env, programs)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function start(settings: Settings, env: Environment, given: string | undefined): Promise<void> {
  if (settings.DATABASE_URL !== undefined)
    throw new Error(
      'DATABASE_URL names a database that this service does not run. Upgrade it with the means of PostgreSQL ("PostgreSQL" in docs/backup.md).',
    )
  const folder = embeddedFolder(settings.SANDGLASS_DATA)
  const [major, installed] = [await majorOfCluster(folder), await majorOfPrograms(postgresHome())]
  const isInterrupted = major === undefined && (await majorOfCluster(folder, upgradedName)) !== undefined
  if (major === undefined && !isInterrupted)
    throw new Error(
      `There is no database in ${folder}. Set SANDGLASS_DATA as for the service, and use sudo if the service runs as root.`,
    )
  if (major !== undefined && major >= installed) {
    console.log(`The database in ${folder} is one of PostgreSQL ${major}. There is nothing to do.`)
    return
  }
  const programs = major === undefined ? '' : await programsFor(major, given)
  const user = process.getuid?.() === 0 ? await frontOf(settings.SANDGLASS_DATA) : undefined
  if (user && user.uid !== 0) process.exitCode = await asFront(settings, env, programs)
  else await work(settings, programs)
}

async function programsFor(major: number, given: string | undefined): Promise<string> {
  const tell = (line: string) => console.log(line)
  const cache = join(checkout, 'node_modules/.cache')
  const home = given === undefined ? await earlierPrograms(major, { cache, tell }) : resolve(given)
  const found = await majorOfPrograms(home)
  if (found !== major)
    throw new Error(`${home} has PostgreSQL ${found}, and the database was made by PostgreSQL ${major}.`)
  return home
}

async function work(settings: Settings, programs: string): Promise<void> {
  const data = await DataDirectory.lock(settings.SANDGLASS_DATA)
  try {
    await upgradeCluster({ settings, programs, tell: line => console.log(line) })
  } finally {
    data.release()
  }
  console.log('The database is one of the installed PostgreSQL. Start the service.')
}

/** The database and backups of a front are its user's, who must not be able to lead root elsewhere. */
async function asFront(settings: Settings, env: Environment, programs: string): Promise<number> {
  const path = resolve(settings.SANDGLASS_DATA)
  const user = (await frontOf(path)) ?? { uid: 0, gid: 0 }
  const files = filesOfSettings(env)
  const view = await viewOf(
    [
      { how: 'read-only', path: checkout },
      { how: 'read-only', path: process.execPath },
      ...(programs === '' ? [] : [{ how: 'read-only', path: programs } as const]),
      { how: 'writable', path },
      ...Object.values(files).map(file => ({ how: 'copy', path: file }) as const),
    ],
    user,
  )
  const args = programs === '' ? [] : ['--programs', programs]
  const child = launchFront({
    user,
    view,
    command: [process.execPath, ...process.execArgv, import.meta.filename, ...args],
    // What the configuration says is in the environment already.
    env: { ...env, ...files, SANDGLASS_CONFIG: '', SANDGLASS_DATA: path },
    compiled: undefined,
    folder: path,
    hasLowPorts: false,
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

function readArguments() {
  try {
    const options = { programs: { type: 'string' }, help: { type: 'boolean', default: false } } as const
    return parseArgs({ options }).values
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`, { cause })
  }
}
