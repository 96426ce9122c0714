import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The system user that the embedded database runs as where the service itself is root. */
const userName = 'sandglass'

export interface DatabaseUser {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root: undefined for an ordinary user, else a system user, made on first use. */
export async function databaseUser(): Promise<DatabaseUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const user = (await findUser()) ?? (await makeUser())
  if (!user)
    throw new Error(`The system user ${userName} could not be created. Create it, or set DATABASE_URL.`)
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
  // Another process may make it at the same moment: what counts is that it is there afterwards.
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
