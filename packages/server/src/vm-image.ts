import { runAsRoot } from './as-root.ts'
import { readVmImageArguments, vmImageUsage } from './engines/qemu/vm-image-arguments.ts'
import { runVmImageCommand } from './engines/qemu/vm-image-command.ts'

/** `npm run vm-image` adds, lists and removes the images of virtual machines that an operator brings. */
const stopped = new AbortController()
try {
  const args = process.argv.slice(2)
  const chosen = readVmImageArguments(args)
  if (chosen.action === 'help') console.log(vmImageUsage)
  else {
    const command = ['npm run vm-image', '--', ...args].join(' ')
    const code = await runAsRoot({ file: import.meta.filename, args, command })
    if (code !== undefined) process.exitCode = code
    else {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
        process.on(signal, () => stopped.abort(new Error('Stopped.')))
      await runVmImageCommand(chosen, { signal: stopped.signal, tell: line => console.log(line) })
    }
  }
} catch (error) {
  console.error(
    stopped.signal.aborted
      ? 'Stopped. Nothing was stored, and nothing was left behind.'
      : error instanceof Error
        ? error.message
        : error,
  )
  process.exitCode = 1
}
