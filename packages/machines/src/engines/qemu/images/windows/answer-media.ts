import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../../../local/host/run-command.ts'
import { answerFile, answerFileName, firstLogonName, type WindowsAnswers } from './answer-file.ts'
import { firstLogonScript } from './first-logon.ts'

/** Writes the CD on which Windows Setup finds its answers and the script for the first sign-in. */
export async function writeAnswerMedia(
  iso: string,
  answers: WindowsAnswers,
  signal?: AbortSignal,
): Promise<void> {
  const folder = `${iso}.files`
  await mkdir(folder)
  try {
    await writeFile(join(folder, answerFileName), answerFile(answers))
    await writeFile(join(folder, firstLogonName), firstLogonScript(answers.edition))
    // Windows reads the long names from the Joliet tree.
    const args = ['-as', 'mkisofs', '-quiet', '-J', '-R', '-V', 'SANDGLASS', '-o', iso, folder]
    await runCommand('xorriso', args, signal && { signal })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
