import { randomBytes } from 'node:crypto'
import { addAbortListener } from 'node:events'
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { ReadableStream } from '@yume-chan/stream-extra'
import type { AdbLink } from '../../adb/adb-link.ts'
import { quote } from '../../adb/device-shell.ts'
import type { FileInfo, WriteOptions } from '../../contract/files.ts'
import { fileError, wrongKind } from '../posix/file-errors.ts'
import { stored } from '../posix/file-scripts.ts'
import { infoOfStat, statFormat } from '../posix/stat-line.ts'
import { answerTimeoutMs, readLine } from './read-line.ts'
import { startShell } from './shell-process.ts'
import { withSync } from './sync-session.ts'

/** How long a failed write waits for its temporary file to be removed. */
const removalTimeoutMs = 2000

/**
 * A shell that stays in the folder even if the folder is renamed. It prints the current path, waits until the
 * temporary file has arrived there by ADB's sync, and renames it. If its input ends first, it removes the temporary
 * file.
 */
const script = (folder: string, name: string, part: string) => `export LC_ALL=C; umask 022
n=${quote(name)}
mkdir -p ${quote(folder)} && cd ${quote(folder)} || exit 1
[ -e "$n" ] && [ ! -f "$n" ] && { echo "not a regular file" >&2; exit 1; }
[ -w . ] || { echo "Permission denied" >&2; exit 1; }
pwd -P
read -r mode && chmod "$mode" ${part} && ${stored(part)} && stat -c '${statFormat}' ${part} && mv -f ${part} "$n" && exit 0
rm -f ${part}; exit 1`

export async function writeFile(
  link: AdbLink,
  path: string,
  content: Readable | Uint8Array,
  { mode = 0o644, signal }: WriteOptions,
): Promise<FileInfo> {
  signal?.throwIfAborted()
  if (path.endsWith('/')) throw wrongKind(path)
  const part = `.${randomBytes(9).toString('hex')}.part`
  const shell = await startShell(link, script(posix.dirname(path), posix.basename(path), part))
  using _ = signal && addAbortListener(signal, () => shell.close())
  const stderr = text(shell.stderr)
  stderr.catch(() => {})
  try {
    const folder = await readLine(shell.stdout, { signal, timeoutMs: answerTimeoutMs })
    if (folder === undefined) throw fileError(await stderr, path)
    await push(link, posix.join(folder, part), content, path, signal)
    shell.stdin.write(`${mode.toString(8)}\n`)
    const line = await readLine(shell.stdout, { signal, timeoutMs: answerTimeoutMs })
    if (line === undefined || (await shell.exited) !== 0) throw fileError(await stderr, path)
    return infoOfStat(line, path)
  } catch (error) {
    signal?.throwIfAborted()
    // The shell sees the end of its input, and removes the temporary file.
    shell.stdin.end()
    await Promise.race([shell.exited.catch(() => {}), pause(removalTimeoutMs, undefined, { ref: false })])
    throw error
  } finally {
    shell.close()
  }
}

/** If the source fails, the session is closed, so that the device discards the data. */
async function push(
  link: AdbLink,
  target: string,
  content: Readable | Uint8Array,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  let failure: { readonly cause: unknown } | undefined
  try {
    await withSync(link, path, async (sync, onProgress) => {
      using _ = signal && addAbortListener(signal, () => void sync.dispose().catch(() => {}))
      const source = content instanceof Readable ? content : Readable.from([content])
      async function* pieces() {
        try {
          for await (const piece of source) {
            onProgress()
            yield new Uint8Array(piece)
          }
        } catch (cause) {
          failure = { cause }
          void sync.dispose().catch(() => {})
          throw cause
        }
      }
      await sync.write({ filename: target, file: ReadableStream.from(pieces()) })
    })
  } catch (error) {
    if (content instanceof Readable) content.destroy()
    throw failure ? failure.cause : error
  }
}
