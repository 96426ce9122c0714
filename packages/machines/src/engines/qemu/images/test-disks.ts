import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installMissing } from '../../local/host/debian-packages.ts'
import { runCommand } from '../../local/host/run-command.ts'
import { diskPackages } from '../host/packages.ts'

export const MiB = 1024 * 1024

/** A folder for the disks and images of a test. */
export async function diskFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  await installMissing(diskPackages)
  const path = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Runs qemu-img as the person does who makes a disk. */
export const qemuImgOfPerson = (...args: string[]) => runCommand('qemu-img', args)
