import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CliError } from './failures.ts'

/** The folder of the checkout that this one is in, if it is in one. */
export async function findCheckout(folder: string): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    if (await isCheckout(place)) return place
    if (dirname(place) === place) return undefined
  }
}

async function isCheckout(folder: string): Promise<boolean> {
  try {
    const { name, workspaces } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return name === 'sandglass' && Array.isArray(workspaces)
  } catch {
    return false
  }
}

export async function requireCheckout(folder: string): Promise<string> {
  const checkout = await findCheckout(folder)
  if (checkout) return checkout
  throw new CliError(
    'This folder is not in a checkout of Sandglass, which is what the service is started from.',
    'Clone the repository, change to its folder, and run this again. To use a service elsewhere, run `sandglass login`.',
  )
}

const ours = ['SANDGLASS_URL', 'SANDGLASS_ORG', 'SANDGLASS_API_KEY', 'SANDGLASS_PROFILE', 'SANDGLASS_DEBUG']

/** The environment for programs of the service, which refuse settings that they do not know. */
export function serviceEnvironment(env: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.includes(name)))
}
