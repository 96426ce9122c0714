import { setTimeout } from 'node:timers/promises'
import { byWebSocket, openBrowser, openPage } from '../live/browser.ts'
import { Guest, type GuestShell } from '../live/guest.ts'
import { servePages } from '../live/pages.ts'
import { latencies } from '../live/watching.ts'
import type { Row } from '../row.ts'
import type { BenchSandbox } from '../service.ts'
import { besides, noTimes } from './besides.ts'
import { type ClusterSetting, type Place, places } from './setting.ts'

const strokes = 40
const turns = 2

/** From a key in Chromium until the live view shows what it changed on the screen. */
export async function keyRows(setting: ClusterSetting): Promise<Row[]> {
  await using undo = new AsyncDisposableStack()
  const pages = await servePages()
  undo.defer(() => pages.close())
  const browser = await openBrowser(undo)
  const sandboxes = await onePerPlace(setting)
  for (const sandbox of sandboxes.values()) {
    const guest = new Guest(shellOf(sandbox))
    await guest.prepare()
    await guest.onKey()
  }
  const times = noTimes()
  for (let turn = 0; turn < turns; turn++)
    for (const [place, sandbox] of sandboxes) {
      const { page } = await openPage(browser, pages.url('ours'), () => byWebSocket(sandbox))
      await page.mouse.click(600, 300)
      await setTimeout(500)
      times[place].push(...(await latencies(page, strokes, () => page.keyboard.press('k'))))
      await page.close()
    }
  await setting.service.deleteAll()
  return besides('key to changed pixel', times)
}

/** Incus places each machine on the member that has the fewest, so some creates are enough. */
async function onePerPlace({ service, placeOf }: ClusterSetting): Promise<ReadonlyMap<Place, BenchSandbox>> {
  const found = new Map<Place, BenchSandbox>([['local', await service.create('local')]])
  while (found.size < places.length) {
    const sandbox = await service.create('cluster')
    const place = await placeOf(sandbox)
    if (!found.has(place)) found.set(place, sandbox)
  }
  return found
}

const shellOf = ({ id, client }: BenchSandbox): GuestShell => {
  const run = async (script: string, stdin?: Buffer) => {
    const { stdoutBase64, exitCode } = await client.execSandboxProcess({
      sandboxId: id,
      body: {
        executable: 'sh',
        args: ['-c', script],
        ...(stdin && { stdinBase64: stdin.toString('base64') }),
      },
    })
    if (exitCode !== 0) throw new Error(`${script} ended with ${exitCode}`)
    return Buffer.from(stdoutBase64, 'base64').toString()
  }
  return {
    shell: script => run(`${script}; true`),
    write: async (path, content) => void (await run(`cat > ${path}`, content)),
  }
}
