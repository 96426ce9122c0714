#!/usr/bin/env node
import module from 'node:module'

// Compiling the code anew would take most of the time of a short command. Node 20 cannot keep it.
module.enableCompileCache?.()
const { runCommandLine } = await import('./run-command-line.ts')

const exitCode = await runCommandLine(process.argv.slice(2), process)
// Whoever reads a pipe may be slower than this process.
await Promise.all(
  [process.stdout, process.stderr].map(stream => new Promise<void>(done => stream.write('', () => done()))),
)
// Connections that are still open must not keep the caller waiting.
process.exit(exitCode)
