import { runAsRoot } from './as-root.ts'
import { clusterUsage, readClusterArguments } from './engines/incus/cluster-arguments.ts'
import { runClusterCommand } from './engines/incus/cluster-command.ts'
import { readEnvironment } from './environment/read-environment.ts'

/** `npm run cluster` makes an Incus cluster of boxes, and looks after its members. */
try {
  const args = process.argv.slice(2)
  const chosen = readClusterArguments(args)
  if (chosen.action === 'help') console.log(clusterUsage)
  else {
    const command = ['npm run cluster', '--', ...args].join(' ')
    const code = await runAsRoot({ file: import.meta.filename, args, command })
    if (code !== undefined) process.exitCode = code
    else {
      const isWell = await runClusterCommand(chosen, {
        env: readEnvironment(process.env),
        tell: line => console.log(line),
      })
      process.exitCode = isWell ? 0 : 1
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
