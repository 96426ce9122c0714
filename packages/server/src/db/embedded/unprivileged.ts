import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { frontOf } from '../../host/front-record.ts'

const run = promisify(execFile)

/** The system user that runs what must not run as root. */
const userName = 'sandglass'

export interface DatabaseUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns undefined for an ordinary user. PostgreSQL refuses to run as root: for root it runs as the user of the front, if
 * a host has prepared the data directory for one, and otherwise as a system user, which is created on first use.
 */
export async function databaseUser(dataDirectory: string): Promise<DatabaseUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const front = await frontOf(dataDirectory)
  return front && front.uid !== 0 ? front : await systemUser()
}

/** Returns the system user, which is created if it is missing. Only root can do that. */
export async function systemUser(): Promise<DatabaseUser> {
  const user = (await findUser()) ?? (await makeUser())
  if (!user)
    throw new Error(
      `The system user ${userName} could not be created. Run: useradd --system --user-group ${userName}`,
    )
  return user
}

async function findUser(): Promise<DatabaseUser | undefined> {
  const passwd = await readFile('/etc/passwd', 'utf8')
  const [, , uid, gid] =
    passwd
      .split('\n')
      .find(line => line.startsWith(`${userName}:`))
      ?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

async function makeUser(): Promise<DatabaseUser | undefined> {
  // Ignore failures, because another process may create the user at the same moment. Only its existence afterwards
  // matters.
  await run('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    userName,
  ]).catch(() => {})
  return findUser()
}
