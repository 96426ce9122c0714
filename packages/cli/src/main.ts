#!/usr/bin/env node
import module from 'node:module'

// Compiling the code anew would take most of the time of a short command. Node 20 cannot keep it.
module.enableCompileCache?.()
const { runCommandLine } = await import('./run-command-line.ts')

// Everything is written by now: nothing that is still open may keep the caller waiting.
process.exit(await runCommandLine(process.argv.slice(2), process))
