import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The system user that runs the embedded database if the service itself runs as root. */
const userName = 'sandglass'

export interface DatabaseUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns undefined for an ordinary user. Because PostgreSQL refuses to run as root, root gets a system user, which
 * is created on first use.
 */
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
