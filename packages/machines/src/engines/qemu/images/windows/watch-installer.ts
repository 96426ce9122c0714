import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { installerFolder, workPlace } from './installer-machine.ts'
import { Reports } from './reports.ts'
import type { Installer, InstallerEnd } from './run-installer.ts'

const MiB = 1024 * 1024
const lookMs = 1000
const tellMs = 60_000
/** Once so much is written, the system on the CD has been started. */
const startedMiB = 8
/** The file of a picture of the screen, in the folder that is needed only during the installation. */
export const screenFile = 'screen.png'

export interface WatchOptions {
  readonly folder: string
  readonly timeLimitMs: number
  readonly tell: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** The machine did not switch itself off in time. A picture of its screen is in the folder, if there is one. */
export class TooSlow extends Error {}

/**
 * Waits until the system in the machine switches it off, and tells how far it is. Returns its reports. Throws if it does not do so
 * in time, or if it reports a failure.
 */
export async function watchInstaller(installer: Installer, o: WatchOptions): Promise<void> {
  const reports = new Reports(join(o.folder, installerFolder, 'serial.log'))
  const begun = performance.now()
  const minutes = () => Math.floor((performance.now() - begun) / 60_000)
  const say = (line: string) => o.tell(`${minutes()} min: ${line}`)
  let end: InstallerEnd | undefined
  let told = begun
  let resets = 0
  void installer.ended.then(found => {
    end = found
  })
  for (;;) {
    const hasEnded = end
    const writtenMiB = await writtenOf(o.folder)
    for (const line of await reports.read()) say(line)
    o.signal?.throwIfAborted()
    if (hasEnded) return judge(hasEnded, reports)
    if (installer.resets > resets)
      say(`The machine was restarted from inside for the ${ordinal(++resets)} time.`)
    if (performance.now() - told >= tellMs) {
      told = performance.now()
      say(`${writtenMiB} MiB are written.`)
    }
    if (performance.now() - begun > o.timeLimitMs) {
      await takePicture(installer)
      throw new TooSlow(
        `The machine did not shut down within ${Math.round(o.timeLimitMs / 60_000)} minutes. ${reports.last} ${writtenMiB} MiB were written.`,
      )
    }
    if (resets === 0 && writtenMiB < startedMiB) await pressKey(installer)
    await Promise.race([installer.ended, pause(lookMs, undefined, o.signal && { signal: o.signal })])
  }
}

function judge({ isShutDown, printed }: InstallerEnd, reports: Reports): void {
  if (!isShutDown)
    throw new Error(`QEMU ended before the installation did: ${printed.trim() || 'it was killed'}`)
  if (reports.failure !== undefined)
    throw new Error(`Windows was installed, but not set up: ${reports.failure}`)
  if (!reports.has('ready'))
    throw new Error(`The machine shut down before Windows was set up. ${reports.last}`)
}

/**
 * The CD of Windows waits for a key before it starts, so that a person can also start the disk. A letter answers that, and does
 * nothing in Windows Setup, unlike a space or the enter key, which press buttons.
 */
async function pressKey({ qmp }: Installer): Promise<void> {
  await qmp.execute('send-key', { keys: [{ type: 'qcode', data: 'x' }] }).catch(() => {})
}

async function takePicture({ qmp }: Installer): Promise<void> {
  const filename = `${workPlace}/${installerFolder}/${screenFile}`
  await qmp.execute('screendump', { filename, format: 'png' }).catch(() => {})
}

async function writtenOf(folder: string): Promise<number> {
  const { blocks } = await stat(join(folder, 'disk.raw'))
  return Math.floor((blocks * 512) / MiB)
}

const ordinal = (count: number) => ['first', 'second', 'third', 'fourth', 'fifth'][count - 1] ?? `${count}th`
