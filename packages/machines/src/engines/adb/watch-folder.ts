import type { AdbLink } from '../../adb/adb-link.ts'
import { quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import type { FileChange, WatchOptions } from '../../contract/files.ts'
import { answerTimeoutMs, readLine } from './read-line.ts'
import { runScript } from './run-script.ts'
import { type ShellProcess, startShell } from './shell-process.ts'

/** The letters by which Android's `inotifyd` reports changes. Those that concern the folder itself end the watch. */
const meanings: Readonly<Record<string, 'created' | 'modified' | 'removed'>> = {
  n: 'created',
  y: 'created',
  c: 'modified',
  d: 'removed',
  m: 'removed',
}
/** The first letter is repeated because toybox skips it. */
const letters = 'nnycdmDMux'
const itself = /[DMux]/

/** Watches one folder with Android's `inotifyd`, which does not include its subfolders. */
export async function watchFolder(
  link: AdbLink,
  path: string,
  { recursive = false, signal }: WatchOptions,
): Promise<AsyncIterable<FileChange>> {
  const p = quote(path)
  const says = (words: string) => `{ echo ${quote(words)} >&2; exit 1; }`
  await runScript(
    link,
    `[ -e ${p} ] || ${says('No such file')}; [ -d ${p} ] || ${says('Not a directory')}; [ -r ${p} ] || ${says('Permission denied')}`,
    path,
    signal,
  )
  const has = await runScript(link, 'command -v inotifyd || :', path, signal)
  if (has.length === 0)
    throw new MachineError('STATE', 'This phone has no inotifyd, which is needed to watch folders.')
  if (recursive) throw new MachineError('INVALID', 'A phone cannot watch subfolders. Leave out recursive.')
  const shell = await startShell(link, script(p))
  try {
    const folder = await untilWatching(shell, link, signal)
    signal?.addEventListener('abort', () => shell.close(), { once: true })
    if (signal?.aborted) shell.close()
    return changesOf(shell, folder)
  } catch (error) {
    shell.close()
    throw error
  }
}

/**
 * `inotifyd` does not report when it has started. So it also watches a file of ours, which is written to until the
 * change is reported; the folder comes first in its arguments, so it is watched by then. The folder is watched
 * through a symlink, because a colon in its path would end the path. The working directory is /, because the removal
 * of a folder that a process is in is not reported.
 */
const script = (
  folder: string,
) => `p=$(cd ${folder} && pwd -P) && m=$(mktemp -d) && ln -s "$p" "$m/d" && : > "$m/f" || exit; echo "$m"
{ i=0; while [ -e "$m/f" ] && [ $i -lt 200 ]; do echo >> "$m/f"; i=$((i+1)); sleep 0.05; done; rm -rf "$m"; } </dev/null >/dev/null 2>&1 &
cd / && exec inotifyd - "$m/d:${letters}" "$m/f:cc"`

/** Returns the name of the folder in the lines that follow. */
async function untilWatching(
  shell: ShellProcess,
  link: AdbLink,
  signal: AbortSignal | undefined,
): Promise<string> {
  const options = { signal, timeoutMs: answerTimeoutMs }
  const ours = await readLine(shell.stdout, options)
  for (let line = ours; line !== undefined; line = await readLine(shell.stdout, options))
    if (line === `c\t${ours}/f`) {
      await runScript(link, `rm -f ${quote(`${ours}/f`)}`, `${ours}`, signal)
      return `${ours}/d`
    }
  throw new MachineError('MACHINE_FAILED', 'The phone does not watch the folder.')
}

/** Each line holds letters, folder and name, separated by tabs. It does not say whether the entry is a folder. */
async function* changesOf(shell: ShellProcess, folder: string): AsyncGenerator<FileChange> {
  try {
    for (;;) {
      const line = await readLine(shell.stdout)
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
