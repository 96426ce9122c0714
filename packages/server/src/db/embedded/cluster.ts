import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The folder in which the database of the service is, below the folder of the server. */
export const clusterName = 'cluster'

/** The folder beside it in which its content is written by a newer PostgreSQL. It exists only during an upgrade. */
export const upgradedName = 'upgraded'

/** Where the database stays that was upgraded, until an operator removes it. */
export const replacedName = (major: number): string => `${clusterName}-${major}`

/** The major version of PostgreSQL that has made a cluster; undefined if there is none, or if making it was interrupted. */
export async function majorOfCluster(folder: string, name = clusterName): Promise<number | undefined> {
  const text = await readFile(join(folder, name, 'PG_VERSION'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

/** The major version of PostgreSQL's programs in a folder. */
export async function majorOfPrograms(home: string): Promise<number> {
  const program = join(home, 'bin', 'postgres')
  const { stdout } = await promisify(execFile)(program, ['--version']).catch(cause => {
    throw new Error(`${program} cannot be run: ${cause.stderr || cause.message}`, { cause })
  })
  const [, major] = / (\d+)/.exec(stdout) ?? []
  if (major === undefined) throw new Error(`${program} does not say which version it is: ${stdout.trim()}`)
  return Number(major)
}

/** Refuses to serve a cluster that programs of another major version have made. */
export async function requireMajor(folder: string, name: string, home: string): Promise<void> {
  const [found, installed] = [await majorOfCluster(folder, name), await majorOfPrograms(home)]
  // PostgreSQL itself says what is wrong with a damaged file.
  if (found === installed || found === undefined || Number.isNaN(found)) return
  throw new Error(
    found < installed
      ? `The database in ${folder} was made by PostgreSQL ${found}, and this version of the service has PostgreSQL ${installed}: run npm run upgrade-database, and then start the service.`
      : `The database in ${folder} was made by PostgreSQL ${found}, and this version of the service has PostgreSQL ${installed}: start the newer version of the service that made it.`,
  )
}

/** Refuses to make a new database in the moment in which the old one has been put aside. */
export async function requireNoUpgrade(folder: string): Promise<void> {
  if ((await majorOfCluster(folder)) !== undefined) return
  const isInterrupted = await access(join(folder, upgradedName)).then(
    () => true,
    () => false,
  )
  if (isInterrupted)
    throw new Error(
      `The upgrade of the database in ${folder} was interrupted: run npm run upgrade-database again, and then start the service.`,
    )
}
