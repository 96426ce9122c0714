import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserChoices, DrivenBrowser } from '../contract/driven-browser.ts'
import type { CommandLine } from '../contract/guest-profile.ts'

const script = readFileSync(join(import.meta.dirname, 'browser.sh'), 'utf8')

/** Programs drive the browser also while other windows cover it, and no question of its own is in their way. */
const always = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-search-engine-choice-screen',
  '--hide-crash-restore-bubble',
  '--no-default-browser-check',
  '--no-first-run',
]

/** Chromium, with a profile of its own in the folder. Its debugging port listens on the machine's loopback only. */
export function chromium(folder: string): DrivenBrowser {
  const command = (
    action: 'start' | 'only' | 'stop',
    options = '',
    flags: readonly string[] = [],
  ): CommandLine => ({
    executable: 'bash',
    args: ['-c', script, 'bash', action, folder, options, ...flags],
  })
  return {
    start: choices => {
      const { proxy, locale, extensions = [] } = choices ?? {}
      const options = JSON.stringify({ proxy, locale, extensions })
      return command(choices ? 'only' : 'start', options, [...always, ...flagsOf(choices ?? {})])
    },
    endpointIn: stdout => {
      const [, port, path] = /^(\d{1,5}) (\/devtools\/browser\/[\w-]+)\n$/.exec(stdout) ?? []
      return path === undefined ? undefined : { port: Number(port), path }
    },
    stop: command('stop'),
  }
}

function flagsOf({ proxy, locale, extensions = [] }: BrowserChoices): string[] {
  const folders = extensions.join(',')
  return [
    ...(proxy ? [`--proxy-server=${proxy.server}`] : []),
    ...(proxy?.bypass.length ? [`--proxy-bypass-list=${proxy.bypass.join(';')}`] : []),
    ...(locale ? [`--lang=${locale}`, `--accept-lang=${locale}`] : []),
    // Chromium ignores extensions of its command line unless this is off.
    ...(folders ? ['--disable-features=DisableLoadExtensionCommandLineSwitch'] : []),
    ...(folders ? [`--load-extension=${folders}`, `--disable-extensions-except=${folders}`] : []),
  ]
}
