import type { Readable } from 'node:stream'
import type { PackageTool } from '@sandglass/machines/contract'
import { type Installation, InstallError } from './installation.ts'

/** A guest can print as much as it likes; only the end of it is kept. */
const tailLength = 4096

/** Runs a package tool in a machine as its administrator, with the files or names to install, and reports its progress. */
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

/** The end of what a program printed; `onTail` is called with the end so far after each chunk. */
async function tailOf(stream: Readable, onTail?: (tail: string) => void): Promise<string> {
  let tail = ''
  for await (const chunk of stream) {
    tail = (tail + chunk).slice(-tailLength)
    onTail?.(tail)
  }
  return tail
}
