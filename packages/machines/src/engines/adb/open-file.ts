import { addAbortListener } from 'node:events'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AdbLink } from '../../adb/adb-link.ts'
import { quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import type { OpenFile } from '../../contract/files.ts'
import { fileError } from '../posix/file-errors.ts'
import { infoOfStat, statFormat } from '../posix/stat-line.ts'
import { answerTimeoutMs, readLine } from './read-line.ts'
import { type ShellProcess, startShell } from './shell-process.ts'

/**
 * A shell that holds the file open, so that its metadata and its content belong to the same file; ADB's sync could
 * only open it by name. It prints the metadata on stderr before and after, and waits for the range to read.
 */
const script = (path: string) => `export LC_ALL=C
p=${quote(path)}
[ -e "$p" ] && [ ! -f "$p" ] && { echo "not a regular file" >&2; exit 1; }
exec 3<"$p" || exit 1
s() { stat -L -c '${statFormat}' /proc/self/fd/3 >&2; }
s && read -r o n || exit 1
tail -c "+$o" <&3 | head -c "$n"
s`

export async function openFile(link: AdbLink, path: string, signal?: AbortSignal): Promise<OpenFile> {
  signal?.throwIfAborted()
  const shell = await startShell(link, script(path))
  try {
    return await opened(shell, path, signal)
  } catch (error) {
    shell.close()
    throw error
  }
}

async function opened(shell: ShellProcess, path: string, signal?: AbortSignal): Promise<OpenFile> {
  const before = (await readLine(shell.stderr, { signal, timeoutMs: answerTimeoutMs })) ?? ''
  if (!isStat(before)) throw fileError(before, path)
  const info = infoOfStat(before, path)
  const { size } = info
  const changed = () => new MachineError('STATE', `${path} changed while it was read`)
  const read: OpenFile['read'] = ({ offset = 0, length = size, steady = false } = {}) => {
    const wanted = Math.max(0, Math.min(size - offset, length))
    let left = wanted
    let held: Buffer | undefined
    const last = async () => {
      if (left !== 0) throw changed()
      if (steady && (await readLine(shell.stderr, { signal, timeoutMs: answerTimeoutMs })) !== before)
        throw changed()
      return held
    }
    // The last chunk is held back until the read is known to be complete, so that nobody takes a truncated file for
    // the whole.
    const out = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        left -= chunk.length
        const earlier = held
        held = chunk
        done(null, earlier)
      },
      flush: done => void last().then(piece => done(null, piece), done),
      destroy(error, done) {
        shell.close()
        done(error)
      },
    })
    shell.stdin.write(`${offset + 1} ${wanted}\n`)
    pipeline(shell.stdout, out, signal ? { signal } : {}).catch(error => out.destroy(error))
    return out
  }
  if (signal) addAbortListener(signal, () => shell.close())
  return {
    info,
    read,
    sendTo: (sink, range) => pipeline(read(range), sink, { end: false }),
    close: () => shell.close(),
  }
}

const isStat = (line: string) => /^[0-9a-f]+ \d+ \d+ \d+ \d+ /.test(line)
