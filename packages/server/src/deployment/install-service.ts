import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Tell } from '../engines/engine-definition.ts'
import { configurationFile, type ServiceUnit, serviceUnit, unitFile, unitName } from './service-unit.ts'

const firstConfiguration = `# The settings of Sandglass, one NAME=value per line. docs/settings.md lists them all, docs/deployment.md describes the format.
# After a change: systemctl restart ${unitName}
#
# SANDGLASS_PUBLIC_URL=https://sandglass.example.org
# SANDGLASS_TRUSTED_PROXIES=127.0.0.1
`

export interface Installation extends ServiceUnit {
  /** The folder that the paths are below; / for the running system. */
  readonly root: string
  readonly tell: Tell
}

/** Writes the unit, and a file for its settings unless there is one. Starts nothing. Returns whether the unit has changed. */
export async function installService({ root, tell, ...unit }: Installation): Promise<boolean> {
  const [file, configuration] = [join(root, unitFile), join(root, configurationFile)]
  const text = serviceUnit(unit)
  const hasChanged = (await readFile(file, 'utf8').catch(() => undefined)) !== text
  if (hasChanged) await writeAll(file, text, 0o644)
  tell(hasChanged ? `Wrote ${file}.` : `${file} is up to date.`)
  if (await stat(configuration).catch(() => undefined)) tell(`The settings are in ${configuration}.`)
  else {
    await writeAll(configuration, firstConfiguration, 0o600)
    tell(`Wrote ${configuration} for the settings.`)
  }
  await warnOfOwner(unit.checkout, tell)
  return hasChanged
}

async function writeAll(file: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 })
  await writeFile(file, text, { mode })
  await chmod(file, mode)
}

/** systemd starts the code of the checkout as root at every boot. */
async function warnOfOwner(checkout: string, tell: Tell): Promise<void> {
  for (let folder = checkout; ; folder = dirname(folder)) {
    const { uid, mode } = await stat(folder)
    const others = (mode & 0o022) !== 0 && (mode & 0o1000) === 0
    if (uid !== 0 || others) {
      const who = uid === 0 ? 'Other users' : `The user with the id ${uid}`
      tell(
        `${who} can change ${folder}, and so what runs as root. If that is not wanted, move the checkout to a folder of root, such as /opt/sandglass, and run this there.`,
      )
      return
    }
    if (folder === dirname(folder)) return
  }
}
