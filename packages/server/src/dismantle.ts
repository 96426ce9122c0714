import { parseArgs } from 'node:util'
import { runAsRoot } from './as-root.ts'
import { setUpEngines } from './engines/registry.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { dismantle } from './removal/dismantle.ts'
import { readSettings } from './settings.ts'

const usage = `npm run dismantle                        lists the machines of the data directory (SANDGLASS_DATA)
npm run dismantle -- --yes               destroys all of them and their network
npm run dismantle -- --unclaimed         lists the machines, saved disks and volumes that the database does not know
npm run dismantle -- --unclaimed --yes   destroys those and leaves the others as they are
Stop the service first. The database, keys, screenshots, images, snapshots and volumes that the database knows are kept.`

/** `npm run dismantle` removes machines, which otherwise outlive the service. */
try {
  const { yes, unclaimed, help } = chosen()
  if (help) console.log(usage)
  else {
    const env = readEnvironment(process.env)
    const settings = readSettings(env)
    const args = process.argv.slice(2)
    const command = ['npm run dismantle', ...(args.length > 0 ? ['--', ...args] : [])].join(' ')
    const engines = setUpEngines(env, settings)
    const code = engines.some(
      ({ needsRoot, disabled, isInstalled }) => needsRoot && (!disabled || isInstalled),
    )
      ? await runAsRoot({ file: import.meta.filename, args, command })
      : undefined
    process.exitCode = code ?? ((await dismantle(settings, engines, { yes, unclaimed }, console.log)) ? 0 : 1)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function chosen() {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({ options: { yes: flag, unclaimed: flag, help: flag } }).values
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`, { cause })
  }
}
