import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { CliError } from '../failures.ts'

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['explorer'],
}

/** Opens a URL in the browser of the person. */
export async function openUrl(url: string): Promise<void> {
  const [executable = '', ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(executable, [...args, url], { stdio: 'ignore', detached: true })
  try {
    await once(child, 'spawn')
    child.unref()
  } catch {
    throw new CliError(
      `The browser could not be opened: ${executable} is missing.`,
      'Open the link yourself.',
    )
  }
}
