import { execFile } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemUser } from '../db/embedded/unprivileged.ts'
import type { FrontUser } from './front-record.ts'
import { frontOf, recordFront } from './front-record.ts'

/** The folders that belong to root, with their modes. */
const hostFolders = { local: 0o700, qemu: 0o700, images: 0o755 }

/** What the front writes into the data directory. Everything else there belongs to the host or to the operator. */
const ofFront =
  /^(lock|node-id|installation|secret-key|credentials(-[\w-]+)?\.json|env|postgres|screenshots|certificates|left-alone|handed-out|phones|incus|packages|quic|spool|before-upgrades)$/
/** Parts of it that a service which was root gave to other users. They are only caches, and are made anew. */
const caches = ['packages', 'quic']

/**
 * Lets the front create files in the data directory without being able to rename or replace what is the host's: the
 * directory belongs to root, its group is that of the front, and in a sticky directory only the owner of a file can
 * remove it. A directory that an earlier version, or another user, has filled is handed over first.
 */
export async function prepareData(path: string, user: FrontUser): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const owner = await takeOver(path)
  for (const [name, mode] of Object.entries(hostFolders)) await requireOwnFolder(join(path, name), mode)
  const previous = (await frontOf(path)) ?? (await recordFront(path, { uid: owner, gid: user.gid }))
  if (previous.uid !== user.uid) {
    // While the directory is closed, a front of before cannot exchange anything in it.
    await chmod(path, 0o700)
    await handOver(path, previous.uid, user)
    await recordFront(path, user)
  }
  await chown(path, 0, user.gid)
  await chmod(path, 0o1770)
}

/** Gives the directory to root, and returns whose it was. */
async function takeOver(path: string): Promise<number> {
  const { uid, gid, mode } = await stat(path)
  const isPrepared = uid === 0 && (mode & 0o7777) === 0o1770
  if (!isPrepared && ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== 0)))
    throw new Error(
      `Others can write to the data directory ${path}. Run chmod go-w ${path}, or set SANDGLASS_DATA to another folder.`,
    )
  if (uid === 0) return 0
  await chmod(path, 0o700)
  await chown(path, 0, 0)
  return uid
}

/** The front must not have made a folder before the host did. */
async function requireOwnFolder(folder: string, mode: number): Promise<void> {
  await mkdir(folder, { mode }).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== 0)
    throw new Error(`${folder} does not belong to root, so it was not made by this service. Move it away.`)
}

/**
 * Changes the owner of what belongs to the front. Links are changed themselves instead of what they lead to, and a file of
 * a third user, which a hard link may have brought here, is left alone.
 */
async function handOver(path: string, from: number, { uid, gid }: FrontUser): Promise<void> {
  const names = (await readdir(path)).filter(name => ofFront.test(name))
  const change = async (previous: number, among: readonly string[]) => {
    if (among.length === 0 || previous === uid) return
    const args = ['-h', '-P', '-R', `--from=${previous}`, `${uid}:${gid}`, '--']
    await promisify(execFile)('chown', [...args, ...among.map(name => join(path, name))])
  }
  if (from === 0) for (const name of caches) await rm(join(path, name), { recursive: true, force: true })
  await change(
    from,
    names.filter(name => !(from === 0 && caches.includes(name))),
  )
  // The embedded database of a service that was root ran as the system user.
  if (from === 0)
    await change(
      (await systemUser()).uid,
      names.filter(name => name === 'postgres'),
    )
}
