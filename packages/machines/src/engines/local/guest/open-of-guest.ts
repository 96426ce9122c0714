import { constants } from 'node:fs'
import { type FileHandle, open, readFile, statfs } from 'node:fs/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { MachinePaths } from '../machine-paths.ts'
import { findInit } from '../oci/init-process.ts'

/** Linux's O_PATH, and the filesystem type of overlayfs in statfs. */
const O_PATH = 0o10000000
const overlayfs = 0x794c7630

/**
 * Opens a file on the host that a process of the machine has open. The path was resolved inside the machine with the
 * rights of its user; the host then opens the same inode through the process's file descriptor. A guest may lie about
 * the numbers, but can only refer to a regular file on an overlay, and the only overlay it has is its own root. Returns
 * undefined if the host finds no such file.
 */
export async function openOfGuest(
  paths: MachinePaths,
  pid: number,
  fd: number,
  access: 'read' | 'write',
): Promise<FileHandle | undefined> {
  let seen: FileHandle | undefined
  try {
    seen = await open(`/proc/${await hostPidOf(paths, pid)}/fd/${fd}`, O_PATH)
    const path = `/proc/self/fd/${seen.fd}`
    if (!(await seen.stat()).isFile() || (await statfs(path)).type !== overlayfs) return undefined
    return await open(path, access === 'read' ? constants.O_RDONLY : constants.O_WRONLY)
  } catch {
    return undefined
  } finally {
    await seen?.close()
  }
}

/** Finds the host's id of a child of the machine's process 1. The newest children are last in the list. */
async function hostPidOf(paths: MachinePaths, pid: number): Promise<string> {
  const init = await findInit(paths)
  const children = await readFile(`/proc/${init?.pid}/task/${init?.pid}/children`, 'utf8')
  for (const child of children.trim().split(' ').reverse()) {
    const status = await readFile(`/proc/${child}/status`, 'utf8').catch(() => '')
    if (Number(/^NSpid:.*\s(\d+)$/m.exec(status)?.[1]) === pid) return child
  }
  throw new MachineError('NOT_FOUND', `process 1 has no child ${pid}`)
}
