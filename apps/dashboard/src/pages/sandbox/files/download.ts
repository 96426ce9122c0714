import { saveFile } from '../../../ui/save-file.ts'
import type { Box } from '../box.ts'
import { nameOf, parentOf } from './paths.ts'
import type { Progress } from './transfers.ts'

/** Reads a file and gives it to the browser, which saves it. */
export async function downloadFile(
  box: Box,
  path: string,
  report: Progress,
  signal: AbortSignal,
): Promise<void> {
  const stream = await box.files.readStream(path, { signal })
  saveFile(await collect(stream, report), nameOf(path))
}

/** Packs a folder in the machine, and gives the archive to the browser. */
export async function downloadFolder(
  box: Box,
  path: string,
  report: Progress,
  signal: AbortSignal,
): Promise<void> {
  const name = nameOf(path) || 'files'
  const command = `tar -cz -C ${quoted(parentOf(path))} -- ${quoted(nameOf(path) || '.')}`
  await using shell = await box.shell(path === '.' ? 'tar -cz .' : command, { ephemeral: true, signal })
  const [errors, output] = [[] as Uint8Array<ArrayBuffer>[], [] as Uint8Array<ArrayBuffer>[]]
  let done = 0
  for await (const { stdout, stderr } of shell) {
    if (stderr) errors.push(stderr)
    if (!stdout) continue
    output.push(stdout)
    done += stdout.length
    report(done)
  }
  const { exitCode } = await shell.exit
  // 1 says that a file changed while it was read.
  if (exitCode > 1 || done === 0) throw new Error(await new Blob(errors).text())
  saveFile(new Blob(output), `${path === '.' ? 'home' : name}.tar.gz`)
}

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, report: Progress): Promise<Blob> {
  let done = 0
  const counted = stream.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        done += chunk.length
        report(done)
        controller.enqueue(chunk)
      },
    }),
  )
  return await new Response(counted).blob()
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
