import { InMachine } from '../rivals/in-machine.ts'
import { type BenchService, imagesDir, withService } from '../service.ts'
import { bridgeTo } from './bridge.ts'
import { byWebSocket, type Opened, openBrowser, openPage } from './browser.ts'
import { Guest } from './guest.ts'
import { type LinkShape, narrowLinkTo } from './narrow-link.ts'
import { type Rival, servePages } from './pages.ts'

/** The rivals alternate, so that other load on the box affects both. */
export const turns: readonly Rival[] = ['noVNC', 'ours', 'noVNC', 'ours']

/** One desktop, and a page of each rival that shows it in Chromium at 1280x720. */
export interface Setting {
  readonly service: BenchService
  readonly guest: Guest
  /**
   * Opens a page. Both use a WebSocket over loopback or over the same link, so that the transport makes no
   * difference.
   */
  open(rival: Rival, link?: LinkShape): Promise<Opened>
}

export function withSetting<T>(work: (setting: Setting) => Promise<T>): Promise<T> {
  return withService({ shapes: [{ cpus: 2 }] }, async service => {
    await using undo = new AsyncDisposableStack()
    const sandbox = await service.create()
    const [machine] = await InMachine.open(service.folder, imagesDir)
    if (!machine) throw new Error('there is no machine')
    undo.defer(() => machine.close())
    const bridge = await bridgeTo(machine.machine)
    undo.defer(() => bridge.close())
    const pages = await servePages()
    undo.defer(() => pages.close())
    const browser = await openBrowser(undo)
    const guest = new Guest(machine)
    await guest.prepare()
    const portOver = async (port: number, shape: LinkShape | undefined) => {
      if (!shape) return port
      const link = await narrowLinkTo(port, shape)
      undo.defer(() => link.close())
      return link.port
    }
    return await work({
      service,
      guest,
      open: async (rival, link) =>
        openPage(browser, pages.url(rival), async () => {
          if (rival === 'noVNC') return `ws://127.0.0.1:${await portOver(bridge.port, link)}/`
          return byWebSocket(sandbox, port => portOver(port, link))
        }),
    })
  })
}
