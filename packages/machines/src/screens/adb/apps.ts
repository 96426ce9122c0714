import { type DeviceShell, quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import type { App } from '../../contract/phone.ts'
import { firstLine } from './shell-injector.ts'

/** No launcher shows more, and nobody would find an app among them. */
const maxApps = 2000

/** A longer name or label is no app's. */
const maxNameLength = 300

const launcher = '-a android.intent.action.MAIN -c android.intent.category.LAUNCHER'

/** Lists the apps that have a launcher icon, sorted by label. */
export async function listApps(shell: DeviceShell): Promise<App[]> {
  const { code, output } = await shell.run(`cmd package query-activities ${launcher}`)
  if (code !== 0)
    throw new MachineError('MACHINE_FAILED', `The device does not list its apps: ${firstLine(output)}`)
  return parseApps(output)
}

/** Reads the output of `query-activities`. The device is not trusted: the time is proportional to the length. */
export function parseApps(output: string): App[] {
  const apps = new Map<string, App>()
  for (const activity of output.split('Activity #').slice(1)) {
    const [packageName = ''] = restOfLine(activity, 'packageName=').split(/\s/, 1)
    if (packageName === '' || packageName.length > maxNameLength || apps.has(packageName)) continue
    if (apps.size === maxApps)
      throw new MachineError('MACHINE_FAILED', `The device lists more than ${maxApps} apps.`)
    apps.set(packageName, { packageName, label: labelOf(activity, packageName) })
  }
  return [...apps.values()].sort((a, b) => a.label.localeCompare(b.label))
}

/** The rest of the line after the first occurrence of a name. */
function restOfLine(activity: string, name: string): string {
  const at = activity.indexOf(name)
  if (at === -1) return ''
  const end = activity.indexOf('\n', at)
  return activity.slice(at + name.length, end === -1 ? undefined : end)
}

/**
 * A label that is stored in the resources of an app is not printed, so this falls back to the last part of the
 * package name.
 */
function labelOf(activity: string, packageName: string): string {
  const line = restOfLine(activity, 'nonLocalizedLabel=')
  const end = line.indexOf(' icon=')
  if (end > 0 && end <= maxNameLength && line.slice(0, end) !== 'null') return line.slice(0, end)
  const last = packageName.split('.').at(-1) ?? packageName
  return last.charAt(0).toUpperCase() + last.slice(1)
}

export async function startApp(shell: DeviceShell, packageName: string): Promise<void> {
  const name = quote(packageName)
  const { output } = await shell.run(
    `cmd package resolve-activity --brief -c android.intent.category.LAUNCHER ${name}`,
  )
  const component = output.trim().split('\n').at(-1) ?? ''
  if (!component.startsWith(`${packageName}/`)) throw noApp(packageName)
  const started = await shell.run(`am start -n ${quote(component)}`)
  if (started.code !== 0 || started.output.includes('Error'))
    throw new MachineError('MACHINE_FAILED', `${packageName} did not start: ${firstLine(started.output)}`)
}

export async function closeApp(shell: DeviceShell, packageName: string): Promise<void> {
  const name = quote(packageName)
  const { code } = await shell.run(`pm path ${name} >/dev/null && am force-stop ${name}`)
  if (code !== 0) throw noApp(packageName)
}

function noApp(packageName: string): MachineError {
  return new MachineError(
    'NOT_FOUND',
    `There is no app ${packageName} on the device; os:listApps lists the apps that are installed.`,
  )
}
