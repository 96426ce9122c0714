import { statfs } from 'node:fs/promises'

const MiB = 1024 * 1024

/** Throws if a folder does not have room for so many bytes, and the reserve. */
export async function requireSpace(folder: string, bytes: number, reserveMiB: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const freeMiB = Math.floor((bavail * bsize) / MiB)
  const neededMiB = Math.ceil(bytes / MiB) + reserveMiB
  if (freeMiB < neededMiB)
    throw new Error(
      `${folder} has ${freeMiB} MiB free, and the image needs ${neededMiB} MiB, of which ${reserveMiB} MiB are to stay free (SANDGLASS_DISK_RESERVE). Free some space, or set SANDGLASS_DATA to a folder on a larger disk.`,
    )
}
