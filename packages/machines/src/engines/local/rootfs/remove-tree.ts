import { runCommand } from '../host/run-command.ts'

/**
 * Removes a folder with everything in it, whatever a guest put there. Node's rm fails on folders that are nested so
 * deeply that their path is longer than the kernel accepts; rm(1) descends into them step by step. It does not enter
 * a mount, which would be the disk of a machine.
 */
export async function removeTree(path: string): Promise<void> {
  await runCommand('rm', ['-rf', '--one-file-system', '--', path])
}
