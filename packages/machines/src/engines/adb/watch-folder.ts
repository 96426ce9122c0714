import { MachineError } from '../../contract/errors.ts'
import type { FileChange, WatchOptions } from '../../contract/files.ts'
import type { AdbLink } from '../../screens/adb/adb-link.ts'
import { quote } from '../../screens/adb/device-shell.ts'
import { askShell } from './ask-shell.ts'
import { type ShellProcess, startShell } from './shell-process.ts'
import { answerMs, takeLine } from './take-line.ts'

/** The letters by which Android's `inotifyd` names what happened; those of the folder itself end the watch. */
const meanings: Readonly<Record<string, 'created' | 'modified' | 'removed'>> = {
  ...{ n: 'created', y: 'created' },
  ...{ c: 'modified', d: 'removed', m: 'removed' },
}
const letters = 'nycdmDMux'
const itself = /[DMux]/

/** By Android's `inotifyd`, which watches one folder and not those below it. */
export async function watchFolder(
  link: AdbLink,
  path: string,
  { recursive = false, signal }: WatchOptions,
): Promise<AsyncIterable<FileChange>> {
  const p = quote(path)
  const says = (words: string) => `{ echo ${quote(words)} >&2; exit 1; }`
  await askShell(
    link,
    `[ -e ${p} ] || ${says('No such file')}; [ -d ${p} ] || ${says('Not a directory')}; [ -r ${p} ] || ${says('Permission denied')}`,
    path,
    signal,
  )
  const has = await askShell(link, 'command -v inotifyd || :', path, signal)
  if (has.length === 0)
    throw new MachineError('STATE', 'This phone has no inotifyd, by which folders are watched.')
  if (recursive)
    throw new MachineError('INVALID', 'A phone watches one folder and none below it: leave recursive out.')
  const shell = await startShell(link, `cd ${p} && echo up && exec inotifyd - .:${letters}`)
  if ((await takeLine(shell.stdout, { signal, patienceMs: answerMs })) !== 'up') {
    shell.close()
    throw new MachineError('MACHINE_FAILED', `The phone does not watch ${path}.`)
  }
  signal?.addEventListener('abort', () => shell.close(), { once: true })
  if (signal?.aborted) shell.close()
  return changesOf(shell)
}

/** A line is the letters, the folder, and the name, with tabs between. Whether it is a folder is not told. */
async function* changesOf(shell: ShellProcess): AsyncGenerator<FileChange> {
  try {
    for (;;) {
      const line = await takeLine(shell.stdout)
      if (line === undefined) return
      const [said = '', , name] = line.split('\t')
      if (said.includes('o')) yield { change: 'overflow' }
      if (name === undefined && itself.test(said)) return
      for (const letter of said) {
        const change = meanings[letter]
        if (change && name !== undefined) yield { change, path: name, kind: 'file' }
      }
    }
  } finally {
    shell.close()
  }
}
