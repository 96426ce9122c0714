import type { Readable } from 'node:stream'
import type { PackageTool } from '@sandglass/machines/contract'
import { type Installation, InstallError } from './installation.ts'

/** Only the end of the output is kept, because a guest can print without limit. */
const tailLength = 4096

/**
 * Runs a package tool in a machine as its administrator, with the files or names to install, and reports its progress.
 */
export async function runInstallTool(
  tool: PackageTool,
  subjects: readonly string[],
  { machine, signal, onProgress }: Installation,
): Promise<void> {
  const { administrator } = machine.guest
  const process = await machine.exec({
    ...tool.install(subjects),
    ...(administrator !== undefined && { user: administrator }),
    env: tool.env,
    whole: true,
    signal,
  })
  process.stdin.end()
  const [exit, stdout, stderr] = await Promise.all([
    process.exited,
    tailOf(process.stdout, tail => {
      const percent = tool.progressOf(tail)
      if (percent !== undefined) onProgress({ step: 'installing', percent })
    }),
    tailOf(process.stderr),
  ]).finally(() => process.release())
  signal.throwIfAborted()
  if (exit.code === 0) return
  const complaint = tool.complaintOf(stdout, stderr)?.slice(0, 300)
  throw new InstallError(
    `${tool.name} in the machine ended with ${exit.code}: ${complaint || 'it said nothing'}`,
  )
}

/** Returns the end of a program's output. `onTail` is called with the current end after each chunk. */
async function tailOf(stream: Readable, onTail?: (tail: string) => void): Promise<string> {
  let tail = ''
  for await (const chunk of stream) {
    tail = (tail + chunk).slice(-tailLength)
    onTail?.(tail)
  }
  return tail
}
