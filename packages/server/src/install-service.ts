import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runAsRoot } from './as-root.ts'
import { installService } from './deployment/install-service.ts'
import { configurationFile, serviceUnit, unitName } from './deployment/service-unit.ts'
import { knownSettings } from './settings.ts'

const usage = `npm run install-service                writes a systemd unit that runs the service of this checkout
npm run install-service -- --print     prints the unit, and writes nothing
npm run install-service -- --now       also starts the service, now and at every boot
npm run install-service -- --root DIR  writes below another folder, for example of an image of a system
It can be repeated, for example after an update of the checkout. See docs/deployment.md.`

const checkout = resolve(import.meta.dirname, '../../..')
const steps = [
  ['systemctl', 'daemon-reload'],
  ['systemctl', 'enable', '--now', unitName],
] as const

/** `npm run install-service`. It starts nothing unless --now is given. */
try {
  const { print, now, root, help } = chosen()
  const unit = { checkout, node: process.execPath }
  if (help) console.log(usage)
  else if (print) process.stdout.write(serviceUnit(unit))
  else {
    if (now && root !== undefined)
      throw new Error('--now starts the service on this system, so it excludes --root.')
    if (root === undefined) prepare()
    const args = process.argv.slice(2)
    const command = ['npm run install-service', ...(args.length > 0 ? ['--', ...args] : [])].join(' ')
    const code =
      root === undefined ? await runAsRoot({ file: import.meta.filename, args, command }) : undefined
    if (code === undefined) {
      await installService({ ...unit, root: resolve(root ?? '/'), tell: console.log })
      if (now) start()
      else if (root === undefined) sayNext()
    } else process.exitCode = code
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Does what `npm start` does before it starts the service, because systemd starts the service alone. */
function prepare(): void {
  for (const script of ['scripts/build-pages.ts', 'scripts/compile.ts']) {
    const { status } = spawnSync(process.execPath, [script], { cwd: checkout, stdio: 'inherit' })
    if (status !== 0) throw new Error(`${script} failed. Fix the error above, and run this again.`)
  }
}

function sayNext(): void {
  const known = knownSettings()
  const lost = Object.keys(process.env).filter(name => known.has(name.replace(/_FILE$/, '')))
  if (lost.length > 0)
    console.log(
      `The service does not see the variables of this shell. Put ${lost.join(', ')} into ${configurationFile}.`,
    )
  console.log(`Nothing is started yet. Next:\n${steps.map(step => `  ${step.join(' ')}`).join('\n')}`)
}

function start(): void {
  for (const [command, ...args] of steps) {
    const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
    if (error || status !== 0)
      throw new Error(
        `${[command, ...args].join(' ')} failed${error ? ` (${error.message})` : ''}. The unit is written; start it with this command when systemd runs.`,
      )
  }
  console.log(`The service is started. Its messages: journalctl -u ${unitName} -f`)
}

function chosen() {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({ options: { print: flag, now: flag, root: { type: 'string' }, help: flag } }).values
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`, { cause })
  }
}
