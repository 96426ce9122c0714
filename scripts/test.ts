import { spawn } from 'node:child_process'
import { glob } from 'node:fs/promises'

/** Runs the tests whose path begins with one of the arguments; all of them without any. */
const wanted = process.argv.slice(2)
const files: string[] = []
for await (const file of glob(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts']))
  if (wanted.length === 0 || wanted.some(start => file.startsWith(start))) files.push(file)

const args = ['--test', '--test-concurrency=3', '--test-timeout=300000', ...files.sort()]
spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', code => {
  process.exitCode = code ?? 1
})
