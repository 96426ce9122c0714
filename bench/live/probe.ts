import type { Connect } from '@sandglass/protocol'
import type { BrowserContext, Page } from 'playwright-core'

/** What the bench asks of every page, whichever rival draws in it. */
export interface Probe {
  /** All bytes received over WebSockets. */
  bytes: number
  canvas: HTMLCanvasElement | undefined
  onDraw: (() => void) | undefined
  /** Starts to wait for the next key or button, and for the first drawing after it that changes this pixel. */
  awaitChange(x: number, y: number): void
  /** How long that took, in milliseconds. */
  change: Promise<number>
  /** How many different frames the browser shows within this many milliseconds. */
  countFrames(
    ms: number,
    area: readonly [x: number, y: number, width: number, height: number],
  ): Promise<number>
  /** Opens the rival; resolves with the milliseconds until the first drawing that is not black. */
  firstPicture(target: Connect | string): Promise<number>
}

declare global {
  interface Window {
    probe: Probe
    /** Starts to show the machine; ours needs connectDetails, noVNC an address. */
    openRival: (target: never) => HTMLCanvasElement
    /** Whether input is sent to the machine. */
    isReady: () => boolean
  }
}

/** Installs the probe in pages that are opened from now on. */
export async function installProbe(browser: BrowserContext): Promise<void> {
  await browser.addInitScript(() => {
    const read = (x: number, y: number, width: number, height: number) => {
      const { data } = window.probe.canvas?.getContext('2d')?.getImageData(x, y, width, height) ?? {
        data: [],
      }
      let hash = 0
      for (const value of data) hash = (Math.imul(hash, 31) + value) | 0
      return hash
    }
    const isPainted = () => {
      const { canvas } = window.probe
      if (!canvas || canvas.width < 100) return false
      const image = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height)
      return image !== undefined && new Uint32Array(image.data.buffer).some(word => (word & 0xffffff) !== 0)
    }
    // Compare in black and white, so that sharpening does not count as a change.
    const blackAndWhite = (x: number, y: number, width: number, height: number) => {
      const { data } = window.probe.canvas?.getContext('2d')?.getImageData(x, y, width, height) ?? {
        data: [],
      }
      let hash = 0
      for (let at = 1; at < data.length; at += 4) hash = (Math.imul(hash, 31) + ((data[at] ?? 0) >> 7)) | 0
      return hash
    }
    window.WebSocket = new Proxy(window.WebSocket, {
      construct: (plain, args) => {
        const socket: WebSocket = Reflect.construct(plain, args)
        socket.addEventListener('message', ({ data }) => {
          window.probe.bytes += data.byteLength ?? data.length
        })
        return socket
      },
    })
    const drawing = CanvasRenderingContext2D.prototype
    for (const name of ['putImageData', 'drawImage', 'fillRect'] as const) {
      const plain = drawing[name]
      Object.defineProperty(drawing, name, {
        value(this: CanvasRenderingContext2D, ...args: unknown[]) {
          Reflect.apply(plain, this, args)
          if (this.canvas === window.probe.canvas) window.probe.onDraw?.()
        },
      })
    }
    let inputAt = 0
    for (const type of ['keydown', 'pointerdown'])
      addEventListener(type, ({ timeStamp }) => (inputAt = timeStamp), { capture: true })
    window.probe = {
      bytes: 0,
      canvas: undefined,
      onDraw: undefined,
      change: Promise.resolve(0),
      awaitChange: (x, y) => {
        const before = read(x, y, 1, 1)
        inputAt = 0
        window.probe.change = new Promise(resolve => {
          window.probe.onDraw = () => {
            if (inputAt === 0 || read(x, y, 1, 1) === before) return
            window.probe.onDraw = undefined
            resolve(performance.now() - inputAt)
          }
        })
      },
      countFrames: (ms, area) =>
        new Promise(resolve => {
          const seen = new Set<number>()
          const end = performance.now() + ms
          const look = () => {
            seen.add(blackAndWhite(...area))
            if (performance.now() < end) requestAnimationFrame(look)
            else resolve(seen.size)
          }
          requestAnimationFrame(look)
        }),
      firstPicture: target =>
        new Promise(resolve => {
          const began = performance.now()
          window.probe.onDraw = () => {
            if (!isPainted()) return
            window.probe.onDraw = undefined
            resolve(performance.now() - began)
          }
          window.probe.canvas = Reflect.apply(window.openRival, window, [target])
        }),
    }
  })
}

export async function bytesOf(page: Page): Promise<number> {
  return page.evaluate(() => window.probe.bytes)
}
