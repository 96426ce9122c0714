import type { AdbLink } from '../../adb/adb-link.ts'
import { quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import type { FileChange, WatchOptions } from '../../contract/files.ts'
import { askShell } from './ask-shell.ts'
import { type ShellProcess, startShell } from './shell-process.ts'
import { answerMs, takeLine } from './take-line.ts'

/** The letters by which Android's `inotifyd` names what happened; those of the folder itself end the watch. */
const meanings: Readonly<Record<string, 'created' | 'modified' | 'removed'>> = {
  n: 'created',
  y: 'created',
  c: 'modified',
  d: 'removed',
  m: 'removed',
}
/** The first counts only when it is there twice: toybox passes over one. */
const letters = 'nnycdmDMux'
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
  const shell = await startShell(link, script(p))
  try {
    const folder = await untilItStands(shell, link, signal)
    signal?.addEventListener('abort', () => shell.close(), { once: true })
    if (signal?.aborted) shell.close()
    return changesOf(shell, folder)
  } catch (error) {
    shell.close()
    throw error
  }
}

/**
 * `inotifyd` does not say when it has begun. Beside the folder it watches a file of ours, to which something is written until
 * that is told: the folder comes first, so it is watched by then. It is watched by a link to it, since a colon in its name would end
 * the name; and not as where `inotifyd` is, since a folder that somebody is in does not tell its end.
 */
const script = (
  folder: string,
) => `p=$(cd ${folder} && pwd -P) && m=$(mktemp -d) && ln -s "$p" "$m/d" && : > "$m/f" || exit; echo "$m"
{ i=0; while [ -e "$m/f" ] && [ $i -lt 200 ]; do echo >> "$m/f"; i=$((i+1)); sleep 0.05; done; rm -rf "$m"; } </dev/null >/dev/null 2>&1 &
cd / && exec inotifyd - "$m/d:${letters}" "$m/f:cc"`

/** What the folder is called in the lines that follow. */
async function untilItStands(
  shell: ShellProcess,
  link: AdbLink,
  signal: AbortSignal | undefined,
): Promise<string> {
  const options = { signal, patienceMs: answerMs }
  const ours = await takeLine(shell.stdout, options)
  for (let line = ours; line !== undefined; line = await takeLine(shell.stdout, options))
    if (line === `c\t${ours}/f`) {
      await askShell(link, `rm -f ${quote(`${ours}/f`)}`, `${ours}`, signal)
      return `${ours}/d`
    }
  throw new MachineError('MACHINE_FAILED', 'The phone does not watch the folder.')
}

/** A line is the letters, the folder, and the name, with tabs between. Whether it is a folder is not told. */
async function* changesOf(shell: ShellProcess, folder: string): AsyncGenerator<FileChange> {
  try {
    for (;;) {
      const line = await takeLine(shell.stdout)
      if (line === undefined) return
      const [said = '', watched, name] = line.split('\t')
      if (said.includes('o')) yield { change: 'overflow' }
      if (watched !== folder) continue
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
