import type { readSandboxShell, ShellPart } from '@sandglass/protocol'
import type { z } from 'zod'
import type { Entry } from './output-log.ts'
import type { Shell } from './shell.ts'

type Answer = z.input<NonNullable<(typeof readSandboxShell)['response']>>

/** Returns the output since the last read as text, and joins adjacent pieces of the same stream. */
export function readShell(shell: Shell): Answer {
  const pieces: { kind: Entry['kind']; bytes: Buffer[] }[] = []
  let droppedBytes = 0
  for (let taken = shell.log.take(shell.readTo); taken; taken = shell.log.take(shell.readTo)) {
    const { kind, bytes, after } = taken.entry
    droppedBytes += taken.droppedBytes
    shell.readTo = after
    const last = pieces.at(-1)
    if (last?.kind === kind) last.bytes.push(bytes)
    else pieces.push({ kind, bytes: [bytes] })
  }
  const output = pieces.flatMap(({ kind, bytes }) => partOf(kind, Buffer.concat(bytes).toString('utf8')))
  return {
    output,
    outputs: output.map(part => ({ output: part })),
    isRunning: shell.isRunning,
    ...(shell.exitCode !== undefined && { exitCode: shell.exitCode }),
    ...(shell.hasTimedOut && { timedOut: true }),
    ...(droppedBytes > 0 && { droppedBytes }),
  }
}

function partOf(kind: Entry['kind'], text: string): ShellPart[] {
  if (kind === 'stdout') return [{ oneofKind: kind, stdout: text }]
  if (kind === 'stderr') return [{ oneofKind: kind, stderr: text }]
  return kind === 'waiting' ? [{ oneofKind: kind, waiting: true }] : []
}
