import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Settings } from '../../local/options.ts'
import { seenAt } from './seen-at.ts'

/** Where Debian's programs expect the rest of what is under /usr. */
const links = ['bin', 'lib', 'lib64', 'sbin'] as const
const folders = [
  'usr',
  'proc',
  'dev',
  'tmp',
  seenAt.tpm,
  'run/sandglass/relay',
  'run/sandglass/sockets',
  'run/sandglass/x11',
]
const relayFiles = [
  'agent_relay.py',
  'dhcp.py',
  'line_relay.py',
  'listen.py',
  'qemu_process.py',
  'relay.py',
] as const
const sharedFiles = ['frames.py', 'loop.py', 'opener.py', 'session.py', 'streams.py'] as const
const guestFolder = join(import.meta.dirname, '../../../../guest')

/** The files that are mounted for a machine need names in the root, which is read-only. */
const mountPoints = [seenAt.disk, seenAt.kernel, seenAt.initrd, seenAt.memory, seenAt.variables]

export interface VmRoot {
  readonly root: string
  readonly relayFolder: string
}

/** Makes the root of the containers in which QEMU runs, and the folder with the program that connects its guest. */
export async function makeVmRoot({ runDir }: Pick<Settings, 'runDir'>): Promise<VmRoot> {
  const root = join(runDir, 'vm-root')
  await complete(root, async part => {
    for (const folder of folders) await mkdir(join(part, folder), { recursive: true, mode: 0o755 })
    for (const name of links) await symlink(`usr/${name}`, join(part, name))
    for (const name of mountPoints) await copyFile('/dev/null', join(part, name))
  })
  const from = [
    ...relayFiles.map(name => join(import.meta.dirname, '../relay', name)),
    ...sharedFiles.map(name => join(guestFolder, name)),
  ]
  // Each version has its own folder, so that running machines keep theirs.
  const hash = createHash('sha256')
  for (const path of from) hash.update(await readFile(path)).update('\0')
  const relayFolder = join(runDir, `vm-relay-${hash.digest('hex').slice(0, 12)}`)
  await complete(relayFolder, async part => {
    for (const path of from) await copyFile(path, join(part, basename(path)))
  })
  return { root, relayFolder }
}

/** A folder appears under its name only when it is complete. */
async function complete(folder: string, fill: (part: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return
  const part = `${folder}.${randomUUID()}`
  await mkdir(part, { recursive: true })
  await chmod(part, 0o755)
  await fill(part)
  await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }))
}
