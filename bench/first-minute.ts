import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@sandglass/machines/testing'
import { launchChromium } from '../test/support/chromium.ts'
import { endService } from '../test/support/end-service.ts'
import { type Row, row } from './row.ts'

const root = join(import.meta.dirname, '..')
const longestStepMs = 12 * 60_000

/**
 * How long a new user waits, from `git clone` to a desktop in a browser, by the commands of the README in a folder in which nothing is
 * installed or built. npm's cache is empty, unless FIRST_MINUTE_NPM_CACHE names one. What the host has is used: Debian packages that are
 * installed already, and whatever is between it and the registries.
 */
export default async function bench(): Promise<Row[]> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-first-minute-'))
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const clone = join(folder, 'sandglass')
  const env = await newUser(folder)
  const shell = async (command: string) => {
    const options = { cwd: clone, env, timeout: longestStepMs, maxBuffer: 1 << 24 }
    return (await promisify(execFile)('bash', ['-e', '-c', `${functions}\n${command}`], options)).stdout
  }
  undo.defer(() => shell('npm run --silent dismantle -- --yes').then(() => {}))
  undo.defer(() => endService(join(clone, 'data')))

  const steps = new Map<string, number>()
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const started = performance.now()
    const result = await work()
    const seconds = (performance.now() - started) / 1000
    steps.set(name, seconds)
    console.error(`${seconds.toFixed(1).padStart(7)} s  ${name}`)
    return result
  }

  console.error(hostWords(env))
  await step('git clone', () =>
    promisify(execFile)('git', ['clone', '--quiet', `file://${root}`, clone]).then(() => {}),
  )
  await step('packages from npm (node scripts/install.mjs)', () => shell('node scripts/install.mjs'))
  await step('pages, compiled code and the start (up --detach)', () =>
    shell('npm run --silent sandglass -- up --detach'),
  )
  const id = await step('the desktop image and the first desktop (sandbox create)', () =>
    shell('. data/env; until BOX=$(sandglass sandbox create 2>/dev/null); do sleep 2; done; echo "$BOX"'),
  )
  const link = await step('a link (view)', () => shell(`. data/env; sandglass view ${id.trim()}`))
  await step('the first picture in Chromium', () => firstPicture(undo, folder, link.trim()))
  const total = [...steps.values()].reduce((sum, seconds) => sum + seconds, 0)
  console.error(`${total.toFixed(1).padStart(7)} s  in all`)
  await step('another desktop, once the image is there', () => shell('. data/env; sandglass sandbox create'))
  return [
    ...[...steps].map(([name, seconds]) => row(`first minute: ${name}`, 's', seconds)),
    row('first minute: from git clone to a desktop in a browser', 's', total),
  ]
}

const functions = 'sandglass() { npm run --silent sandglass -- "$@"; }'

/** The environment of somebody who has just come: a home of their own, and none of our settings. */
async function newUser(folder: string): Promise<NodeJS.ProcessEnv> {
  const { PATH = '', SANDGLASS_DISK_OVERCOMMIT, FIRST_MINUTE_NPM_CACHE } = process.env
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|sandglass_|test_|node_compile)/i.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    // Run by npm, the path begins with folders of this checkout.
    PATH: PATH.split(':')
      .filter(part => !part.includes('node_modules'))
      .join(':'),
    HOME: folder,
    npm_config_cache: FIRST_MINUTE_NPM_CACHE ?? join(folder, 'npm-cache'),
    SANDGLASS_PORT: String(await freePort()),
    SANDGLASS_LIVE_UDP_PORT: 'none',
    // A box of tests has QEMU, and would build virtual machines in the background. A new box has none.
    SANDGLASS_VMS: 'off',
    ...(SANDGLASS_DISK_OVERCOMMIT && { SANDGLASS_DISK_OVERCOMMIT }),
  }
}

/** Opens the link as a person does, and waits until the desktop is drawn. */
async function firstPicture(undo: AsyncDisposableStack, folder: string, link: string): Promise<void> {
  const browser = await launchChromium(join(folder, 'profile'))
  undo.defer(() => browser.close())
  const page = await browser.newPage()
  await page.goto(link)
  await page.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 0)
}

/** On what this was measured, for those who read the figures. */
function hostWords({ npm_config_cache: cache }: NodeJS.ProcessEnv): string {
  const gib = (totalmem() / 2 ** 30).toFixed(0)
  const kept = process.env['FIRST_MINUTE_NPM_CACHE'] ? `npm's cache is ${cache}` : "npm's cache is empty"
  return `${availableParallelism()} × ${cpus()[0]?.model}, ${gib} GiB, Node ${process.version}; ${kept}.`
}
